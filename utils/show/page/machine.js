// The course's translator on the page: its file of weights read, and words written one by one, as PyTorch computes them.
// Rows are Float32Arrays; a matrix is as the file has it, a row for each number that comes out.

const [PAD, START, END] = [0, 1, 2];
const NEVER = [PAD, START]; // what is no word, and is not written

/** A number of 16 bits (a sign, 5 bits of exponent, 10 of fraction) as a number. */
function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/**
 * A translator out of the bytes of its safetensors file: the length of a header, the header in JSON, the weights in 16
 * bits. Throws for a model that is built otherwise than the course's.
 */
export function readMachine(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: told, ...places } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const config = JSON.parse(told.config);
  const expected = { norm_first: true, activation: "relu", positions: "sinusoidal", bias: true };
  const differs = Object.keys(expected).find((name) => config[name] !== expected[name]);
  if (differs) throw new Error(`this page computes another model: ${differs} is ${config[differs]}.`);
  const table = Float32Array.from({ length: 1 << 16 }, (_, bits) => halfToNumber(bits));
  const tensors = {};
  let numbers = 0;
  for (const [name, { dtype, data_offsets: [from, to] }] of Object.entries(places)) {
    if (dtype !== "F16") throw new Error(`this page reads numbers of 16 bits: ${name} has ${dtype}.`);
    const halves = new Uint16Array(buffer.slice(8 + length + from, 8 + length + to));
    tensors[name] = Float32Array.from(halves, (half) => table[half]);
    numbers += halves.length;
  }
  const [sourceWords, targetWords] = [JSON.parse(told.source_words), JSON.parse(told.target_words)];
  tensors["output.weight"] ??= tensors["target_embedding.weight"]; // tied: one matrix for both
  tensors["target_embedding.weight"] ??= tensors["output.weight"];
  return { config, tensors, numbers, sourceWords, targetWords, longest: Number(told.longest) };
}

// --- the parts, in the order of the paper ---

/** The row of each word times √d_model, and what its place adds. */
function embedded({ config: { d_model: d } }, table, ids, first = 0) {
  return ids.map((id, i) =>
    Float32Array.from({ length: d }, (_, j) => {
      const angle = (first + i) / 10000 ** ((j - (j % 2)) / d);
      return table[id * d + j] * Math.sqrt(d) + (j % 2 ? Math.cos(angle) : Math.sin(angle));
    }),
  );
}

/** x W + b, of the rows `from` to `to` of W alone. */
function linear(x, weight, bias, from = 0, to = weight.length / x[0].length) {
  return x.map((row) => {
    const out = new Float32Array(to - from);
    for (let o = from; o < to; o++) {
      let sum = bias ? bias[o] : 0;
      for (let i = 0, at = o * row.length; i < row.length; i++) sum += row[i] * weight[at + i];
      out[o - from] = sum;
    }
    return out;
  });
}

function normed(x, weight, bias, epsilon) {
  return x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map((value, i) => ((value - mean) / Math.sqrt(variance + epsilon)) * weight[i] + bias[i]);
  });
}

const added = (x, y) => x.map((row, r) => row.map((value, i) => value + y[r][i]));

function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** Heads side by side; `sees(i)` is how many of the keys row i may look at. Keeps each head's weights in `maps`. */
function attended(queries, keys, values, heads, sees, maps) {
  const d = queries[0].length / heads;
  return queries.map((query, i) => {
    const out = new Float32Array(query.length);
    for (let at = 0; at < query.length; at += d) {
      const score = (key) => {
        let sum = 0;
        for (let c = at; c < at + d; c++) sum += query[c] * key[c];
        return sum / Math.sqrt(d);
      };
      const weights = softmax(keys.slice(0, sees(i)).map(score));
      maps?.push(weights);
      weights.forEach((weight, k) => {
        for (let c = at; c < at + d; c++) out[c] += weight * values[k][c];
      });
    }
    return out;
  });
}

/** What computes with one machine: the parts that the encoder and the decoder are made of. */
function partsOf({ config, tensors }) {
  const { d_model: d, n_heads: heads, layer_norm_eps: epsilon } = config;
  const of = (name) => [tensors[`${name}.weight`], tensors[`${name}.bias`]];
  const norm = (x, name) => normed(x, ...of(name), epsilon);
  const project = (x, name, part) => linear(x, ...of(`${name}.project_in`), part * d, (part + 1) * d);
  const join = (found, name) => linear(found, ...of(`${name}.project_out`));
  const feedForward = (x, name) => {
    const wide = linear(x, ...of(`${name}.widen`)).map((row) => row.map((value) => Math.max(0, value)));
    return linear(wide, ...of(`${name}.narrow`));
  };
  return { heads, norm, project, join, feedForward };
}

/** The vectors of the words that are read. */
function encoded(machine, ids) {
  const { heads, norm, project, join, feedForward } = partsOf(machine);
  let x = embedded(machine, machine.tensors["source_embedding.weight"], ids);
  for (let layer = 0; layer < machine.config.n_encoder_layers; layer++) {
    const at = `encoder.layers.${layer}`;
    const self = `${at}.self_attention`;
    const seen = norm(x, `${at}.add_norm_attention.norm`);
    const [queries, keys, values] = [0, 1, 2].map((part) => project(seen, self, part));
    x = added(x, join(attended(queries, keys, values, heads, () => keys.length), self));
    x = added(x, feedForward(norm(x, `${at}.add_norm_feed_forward.norm`), `${at}.feed_forward`));
  }
  return norm(x, "encoder.final_norm");
}

/** What the decoder says after each word; keys and values of the words before are kept from word to word. */
function decoderOf(machine, memory) {
  const { tensors, config } = machine;
  const { heads, norm, project, join, feedForward } = partsOf(machine);
  const names = Array.from({ length: config.n_decoder_layers }, (_, layer) => `decoder.layers.${layer}`);
  const read = names.map((at) => [1, 2].map((part) => project(memory, `${at}.cross_attention`, part)));
  const written = names.map(() => [[], []]);
  return (id, place) => {
    let x = embedded(machine, tensors["target_embedding.weight"], [id], place);
    const maps = [];
    names.forEach((at, layer) => {
      const [self, cross] = [`${at}.self_attention`, `${at}.cross_attention`];
      const seen = norm(x, `${at}.add_norm_self.norm`);
      const [keys, values] = written[layer];
      keys.push(...project(seen, self, 1));
      values.push(...project(seen, self, 2));
      x = added(x, join(attended(project(seen, self, 0), keys, values, heads, () => keys.length), self));
      const asking = project(norm(x, `${at}.add_norm_cross.norm`), cross, 0);
      x = added(x, join(attended(asking, ...read[layer], heads, () => memory.length, maps), cross));
      x = added(x, feedForward(norm(x, `${at}.add_norm_feed_forward.norm`), `${at}.feed_forward`));
    });
    const [logits] = linear(norm(x, "decoder.final_norm"), tensors["output.weight"]);
    return { logits, maps };
  };
}

/**
 * The words that the machine writes for the ids of a sentence, always the most probable next one, END last. Each with
 * its logits, its probability among `probabilities`, and the weights of the cross-attention, one row for each head of
 * each layer.
 */
export function* writing(machine, ids) {
  const next = decoderOf(machine, encoded(machine, ids));
  const most = Math.min(2 * ids.length + 10, machine.config.max_length);
  let id = START;
  for (let place = 0; place < most && id !== END; place++) {
    const { logits, maps } = next(id, place);
    for (const never of NEVER) logits[never] = -Infinity;
    id = logits.indexOf(Math.max(...logits));
    yield { id, logits, probabilities: softmax(logits), maps };
  }
}
