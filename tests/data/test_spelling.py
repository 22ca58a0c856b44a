"""How a language writes its sentences, learnt from them: a translation with every word right is the sentence itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from utils.data.corpora import Pair, split
from utils.data.spelling import Spelling
from utils.data.vocabulary import tokenize
from utils.training.metrics import chrf, signed_scores
from utils.training.train import new_translator

SENTENCES = {
    "German": """Der Hund und die Katze schlafen im Garten.
        „Nein“, sagte der Lehrer.
        Er sagte: „Wir kommen morgen mit Anna.“
        Kommst du am Morgen oder am Abend?
        Das Buch „Der Fluss“ kostet 3,50 €.
        Warte ... Ich sehe Peter!
        Im Jahr 1989 war Berlin voller Menschen.
        Meine Schwester (sie heißt Eva) mag Äpfel; ihr Bruder mag Brot.
        Hast du Hunger? Ja, und Durst!
        Heute morgen war die Straße leer – niemand ging zur Arbeit.
        'Gut', dachte er.""",
    "Spanish": """¿Dónde está la casa de María?
        ¡Hola!
        Hola, ¿qué tal estás?
        Juan y yo vivimos en Madrid.
        «No», dijo el rey.
        El tren sale a las 10:30.
        Cuesta 1.200 euros, ¡qué barbaridad!
        Mi hermano dijo: «Quiero pan».
        ¿Y tú?
        No sé... Quizás mañana venga Lucía.""",
    "Persian": """هوا امروز خیلی سرد است.
        آیا شما سیب می‌خورید؟
        «نه»، گفت مریم.
        کتاب، دفتر و قلم روی میز است.
        او گفت: «من فردا می‌آیم.»
        قیمت آن ۱۲٫۵ تومان است!
        تهران (پایتخت ایران) بزرگ است.
        صبر کن… برادرم می‌آید؛ خواهرم نه.
        در سال ۱۳۵۷ او ده ساله بود.
        چرا گریه می‌کنی؟""",
}
LINES = {language: [line.strip() for line in text.splitlines()] for language, text in SENTENCES.items()}


@pytest.mark.parametrize("language", LINES)
def test_correct_translation_is_spelt_as_the_sentence_itself(language: str) -> None:
    lines = LINES[language]
    spelling = Spelling.from_json(Spelling.from_texts(lines).to_json())
    written = [spelling.write(tokenize(line)) for line in lines]
    assert written == lines
    assert chrf(written, lines) == 100 and signed_scores(written, lines).startswith("BLEU 100.0 ")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("German", "Peter sagte: „Am Abend kommen die Menschen.“"),
        ("Spanish", "«Hola», dijo María, ¿y tú?"),
        ("Persian", "«هوا سرد است»، گفت مریم."),
    ],
)
def test_spelling_holds_for_new_sentences(language: str, sentence: str) -> None:
    assert Spelling.from_texts(LINES[language]).write(tokenize(sentence)) == sentence


def test_translator_spells_as_its_corpus_does() -> None:
    pairs = [Pair(f"sentence {i} {line}", line) for i, line in enumerate(LINES["German"] * 3)]
    corpus = split([*pairs, *(Pair(f"the other {i}", "kein Satz") for i in range(60))])
    vocabulary = new_translator(corpus, d_model=8, d_ff=8, n_heads=1).target_vocabulary
    for line in {pair.target for pair in corpus.train}:
        assert vocabulary.join(vocabulary.tokens(vocabulary.ids(vocabulary.split(line)))) == line


def test_typographic_apostrophe_and_inner_capitals_are_restored() -> None:
    lines = ["L’acqua dell’UNESCO.", "Ho un iPhone e l’acqua.", "iPhone e NATO"]
    spelling = Spelling.from_texts(lines)
    assert [spelling.write(tokenize(line)) for line in lines] == lines
    assert spelling.write(["bevo", "l'acqua", "."]) == "Bevo l’acqua."


@given(st.lists(st.text(), max_size=5), st.lists(st.text(min_size=1), max_size=5))
def test_spelling_loses_no_token(texts: list[str], words: list[str]) -> None:
    tokens = tokenize(" ".join(words))
    written = Spelling.from_texts(texts).write(tokens)
    assert "".join(tokenize(written)) == "".join(tokens)


@pytest.mark.parametrize("damaged", ["{}", '{"words": {}, "large": {}, "gaps": {"a": 1}}'])
def test_damaged_spelling_is_refused(damaged: str) -> None:
    assert "saved" in refused(Spelling.from_json, damaged)
