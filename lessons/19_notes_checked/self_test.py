"""Twenty questions over the course: data, and the card that asks them. A choice opens, and says why it is right or not.

It is HTML alone, without Python and without JavaScript behind it: it works in a saved notebook and on any page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from utils.show.cards import Card


@dataclass(frozen=True)
class Choice:
    """One answer to choose, and what is said of it once it is chosen."""

    text: str
    sentence: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question about one lesson, by its number, and its choices, of which one is right."""

    lesson: str
    text: str
    choices: tuple[Choice, ...]


def self_test(questions: Sequence[Question], links: Mapping[str, tuple[str, str]]) -> Card:
    """The questions below each other; of the choices of one question, one at a time is open.

    links: number of a lesson -> its title and where it is. Raises ValueError when a question has not just one right
    choice, or names a lesson that is not there.
    """
    for question in questions:
        if sum(choice.right for choice in question.choices) != 1:
            raise ValueError(f"a question needs one right choice, and only one: {question.text}")
        if question.lesson not in links:
            raise ValueError(f"there is no lesson {question.lesson}: {question.text}")
    asked = [(number, question, links[question.lesson]) for number, question in enumerate(questions, 1)]
    return Card("".join(_html(*one) for one in asked), "\n".join(_text(*one) for one in asked))


def _said(choice: Choice) -> str:
    return f"{'✓ Right' if choice.right else '✗ No'}. {choice.sentence}"


def _html(number: int, question: Question, link: tuple[str, str]) -> str:
    title, place = link
    choices = "".join(
        f'<details name="question-{number}" style="margin:.25em 0 .25em 1em"><summary style="cursor:pointer">'
        f'{escape(choice.text)}</summary><div style="margin:.2em 0 .4em 1.2em">{escape(_said(choice))}</div></details>'
        for choice in question.choices
    )
    lesson = f'<a href="{escape(place)}">{question.lesson} {escape(title)}</a>'
    return (
        f'<section style="font-size:1.1em;line-height:1.45;max-width:60em;margin:1.1em 0">'
        f"<div><strong>{number}. {escape(question.text)}</strong></div>{choices}"
        f'<div style="font-size:.85em;margin-left:1em">from lesson {lesson}</div></section>'
    )


def _text(number: int, question: Question, link: tuple[str, str]) -> str:
    choices = (f"   ( ) {choice.text}\n       {_said(choice)}" for choice in question.choices)
    return "\n".join([f"{number}. {question.text} (lesson {question.lesson} {link[0]})", *choices])


QUESTIONS = (
    Question(
        "01",
        "A recurrent encoder hands its decoder one summary. What does attention hand over in its place?",
        (
            Choice(
                "a longer summary",
                "A longer one is still of one length, however long the sentence is.",
            ),
            Choice(
                "all states of the encoder, weighed anew for each word that is written",
                "So what is handed over grows with the sentence, and each word takes from it what it needs.",
                right=True,
            ),
            Choice(
                "the state of the word that is to be translated next",
                "Nobody says which word that would be. The weights are shares over all the states.",
            ),
        ),
    ),
    Question(
        "02",
        "“dog bites man” and “man bites dog”: you look up the vectors of the words and add them up. What of the sums?",
        (
            Choice(
                "They differ, since the words stand in another order.",
                "A sum does not know in which order it was made.",
            ),
            Choice(
                "That depends on the table.",
                "Whatever three vectors the table has: their sum is the same in any order.",
            ),
            Choice("They are equal.", "That is why positions have to be put in: lesson 04.", right=True),
        ),
    ),
    Question(
        "02b",
        "z depends on y, and y on x. y grows 3 times as fast as x, z half as fast as y. How fast does z grow with x?",
        (
            Choice("3.5 times as fast", "You added. Slopes along a chain are multiplied."),
            Choice("1.5 times as fast", "3 · ½: the slopes along a chain are multiplied.", right=True),
            Choice("6 times as fast", "You divided by ½. Half as fast is a factor of ½."),
        ),
    ),
    Question(
        "03",
        "Word vectors are trained on pairs from a text, without any negative sample. What can the loss do?",
        (
            Choice("It can't fall: there is nothing to tell apart.", "It falls, and easily: every answer may be yes."),
            Choice(
                "It can come near 0 while all vectors point nearly the same way.",
                "The task is solved by saying yes to every pair. A low loss does not say that the task was a good one.",
                right=True,
            ),
            Choice(
                "It stays just above that with negatives.", "With negatives there is one cost for each of them besides."
            ),
        ),
    ),
    Question(
        "04",
        "Base 10000, angles in radians. With which two numbers does the row of position 1 begin?",
        (
            Choice("0.017452 and 0.999848", "A calculator set to degrees gives these: sine and cosine of 1°."),
            Choice("0.0001 and 1.0", "You divided by 10000. In the first pair the exponent is 0, and 10000⁰ is 1."),
            Choice("0 and 1", "That is position 0."),
            Choice("0.841471 and 0.540302", "Sine and cosine of 1, in radians.", right=True),
        ),
    ),
    Question(
        "04",
        "d_model = 4. You change the base from 10000 to 100. Which columns change?",
        (
            Choice("all four", "The first pair is divided by base⁰, which is 1 for every base."),
            Choice("the last two", "Only their divisor has the base in it: 100 before, 10 after.", right=True),
            Choice("the two sines", "A sine and its cosine share a divisor: they change together, or not at all."),
        ),
    ),
    Question(
        "05",
        "Five tokens, 8 numbers each. Queries and keys have 2 numbers. What shape has QKᵀ?",
        (
            Choice("2 × 2", "That would be QᵀK: it adds up over the tokens."),
            Choice("5 × 5", "A score for each pair of tokens, however wide they are.", right=True),
            Choice("8 × 8", "The 8 is gone once X has been multiplied by W_Q and W_K."),
            Choice("5 × 8", "That is the shape of X."),
        ),
    ),
    Question(
        "05",
        "α₂₃ is 0.7, and every row sums to 1. Which sentence says the same?",
        (
            Choice("Token 3 pays 0.7 of its attention to token 2.", "That would be α₃₂: the row is who pays."),
            Choice(
                "Tokens 2 and 3 are alike to 0.7.", "Then α₃₂ would have to be 0.7 too. Attention need not be returned."
            ),
            Choice("Token 2 pays 0.7 of its attention to token 3.", "Row 2 asks, column 3 is asked.", right=True),
        ),
    ),
    Question(
        "06",
        "Why are the scores divided by √d_k?",
        (
            Choice(
                "It brings their variance from d_k to 1, if the numbers of q and k are independent, with mean 0 and "
                "variance 1.",
                "Else the softmax saturates where d_k is large, and hardly anything is learnt.",
                right=True,
            ),
            Choice("So that each row sums to 1.", "The softmax sees to that, with any scale."),
            Choice("So that they lie between −1 and 1.", "They have no such bounds: only their typical size changes."),
        ),
    ),
    Question(
        "06",
        "You add 100 to every score of one row. What happens to its weights?",
        (
            Choice("They all become equal.", "Only the differences count, and these are as they were."),
            Choice("They stay as they are.", "e¹⁰⁰ stands above and below the line, and cancels.", right=True),
            Choice("The largest becomes nearly 1.", "To multiply the scores by 100 may do that. To add does not."),
        ),
    ),
    Question(
        "07",
        "512 numbers a token, 8 heads in place of one. How many weights have W_Q, W_K, W_V and W_O now, all together?",
        (
            Choice("8 times as many as before", "Each head is 64 wide: 8 · 64 columns are 512 again."),
            Choice(
                "as many as before",
                "The same 512 × 512 matrices, cut into eight strips of 64: the first three by columns, W_O by rows.",
                right=True,
            ),
            Choice("an eighth of them", "One of the eight would have so many. All eight together have them all."),
        ),
    ),
    Question(
        "08",
        "A mask is put on after the softmax: the forbidden weights are set to 0. What is wrong?",
        (
            Choice("Nothing: forbidden words get weight 0.", "They do. But look at what is left of the row."),
            Choice(
                "The rows no longer sum to 1, and the hidden scores have a say in what is left.",
                "They stood below the line when the shares were made. With −∞ before the softmax they do not.",
                right=True,
            ),
            Choice(
                "The forbidden words can be seen through the values.",
                "Their values are multiplied by 0. It is the weights of the others that tell.",
            ),
        ),
    ),
    Question(
        "09",
        "0.1, 0.2, 0.3 go through a layer norm, without ε, γ and β. What comes out?",
        (
            Choice("−1, 0, 1", "You divided by the deviation with m − 1 = 2. A norm takes the mean over all m = 3."),
            Choice("−1.25, 0, 1.25", "The deviation was rounded to 0.08 too early: it is 0.081650."),
            Choice("−1.224745, 0, 1.224745", "Minus the mean 0.2, divided by 0.081650.", right=True),
            Choice("0, 0.5, 1", "That is min–max scaling. A layer norm is a z-score."),
        ),
    ),
    Question(
        "10",
        "Only row 4 of what goes into a feed-forward network changes. Which rows of what comes out may change?",
        (
            Choice("row 4", "The network does the same with each row, by itself.", right=True),
            Choice("all rows", "That is so behind the attention, where tokens meet."),
            Choice("row 4 and those after it", "That would be masked attention. Here no row sees another."),
        ),
    ),
    Question(
        "11",
        "The decoder has 3 tokens, the source 5. What shape have the weights of one head of the cross-attention?",
        (
            Choice("3 × 3", "That is the decoder's self-attention."),
            Choice("5 × 3", "Turned round: who asks stands in the rows."),
            Choice("3 × 5", "The decoder asks, three rows. The encoder is asked, five columns.", right=True),
        ),
    ),
    Question(
        "12",
        "A batch in two pieces: 10 words with a mean loss of 2, 30 words with a mean loss of 4. What is the batch's?",
        (
            Choice("3", "That is the mean of the means: it counts the 10 words as if they were as many as the 30."),
            Choice("3.5", "(10 · 2 + 30 · 4) / 40.", right=True),
            Choice("6", "That is the sum of two means. It grows with the number of pieces."),
        ),
    ),
    Question(
        "13",
        "A beam search compares finished texts by the sum of their log-probabilities. Which does it favour?",
        (
            Choice("long ones", "Each word adds a number of 0 or less: a longer text can only lose."),
            Choice(
                "short ones",
                "No sum grows by a further word. So the sum is divided by the number of words.",
                right=True,
            ),
            Choice("neither", "It would be fair only among texts of one length."),
        ),
    ),
    Question(
        "14",
        "In one head the word being written gives 0.9 of its attention to a source word. What do you know?",
        (
            Choice(
                "The word was written because of that source word.",
                "Take the head out, and see whether another word is written: only then.",
            ),
            Choice(
                "The two words are translations of each other.",
                "In some heads, often. No head has been told to align.",
            ),
            Choice(
                "Where this head looked, in this pass.",
                "It is where to look first. An explanation needs a test.",
                right=True,
            ),
        ),
    ),
    Question(
        "15",
        "BERT's encoder has no look-ahead mask. Which words is it trained to guess?",
        (
            Choice(
                "the next one, at every place",
                "Without the mask the next word can be looked at: there would be nothing to guess.",
            ),
            Choice(
                "some that were hidden, from both sides",
                "Most of them are replaced before the text goes in, so both sides can be left open.",
                right=True,
            ),
            Choice("those of the same text in another language", "For that one needs a decoder, and pairs of texts."),
        ),
    ),
    Question(
        "17",
        "An image of 28 × 28 pixels, patches of 7 × 7. How many tokens does a vision transformer make of it?",
        (
            Choice("17", "16 patches, and [CLS].", right=True),
            Choice("16", "So many patches. One vector more is put in front of them: [CLS]."),
            Choice("49", "So many pixels has one patch."),
            Choice("785", "Those are all pixels, each as a token, and [CLS]."),
        ),
    ),
)
