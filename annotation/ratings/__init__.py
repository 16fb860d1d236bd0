"""The exit: what people answered, read-only, as tidy rows, as arrays, and as judgements.

Everything here rests on *counted* screens only: submitted, and among the wanted number of their
unit. Drafts, pilots and repeats never leave; surplus is counted and named, not mixed in. What was
excluded is left out, unless a layer without some exclusions is asked for (``Layer``). A person
appears under the pseudonym of their participation, never under a token.
"""

from annotation.ratings.answers import (
    BY_PERSON,
    BY_RULE,
    NO_VALUE,
    NOTHING,
    AnswerTable,
    Phase,
    Rater,
    Screens,
    answer_table,
    texts_of,
)
from annotation.ratings.counting import (
    Layer,
    RatingCounts,
    counted_ratings,
    rating_counts,
    ratings_mark,
    surplus_ratings,
)
from annotation.ratings.judgements import (
    Applicability,
    Completeness,
    Judgement,
    RankingGiven,
    Selection,
    Verdict,
    YesNoGiven,
    descriptor_completeness,
    descriptor_verdicts,
    not_applicable_counts,
    rankings,
    selections,
    yes_no,
)
from annotation.ratings.left_out import (
    DeclaredRule,
    ExclusionInForce,
    declared_rules,
    exclusions_in_force,
    left_out_mark,
)
from annotation.ratings.rows import RatingRow, rating_rows
from annotation.ratings.tables import (
    RatedItem,
    RatedQuestion,
    RatingTable,
    likert_questions,
    mean_ratings,
    rated_items,
    rating_table,
)

__all__ = [
    "BY_PERSON",
    "BY_RULE",
    "NOTHING",
    "NO_VALUE",
    "AnswerTable",
    "Applicability",
    "Completeness",
    "DeclaredRule",
    "ExclusionInForce",
    "Judgement",
    "Layer",
    "Phase",
    "RankingGiven",
    "RatedItem",
    "RatedQuestion",
    "Rater",
    "RatingCounts",
    "RatingRow",
    "RatingTable",
    "Screens",
    "Selection",
    "Verdict",
    "YesNoGiven",
    "answer_table",
    "counted_ratings",
    "declared_rules",
    "descriptor_completeness",
    "descriptor_verdicts",
    "exclusions_in_force",
    "left_out_mark",
    "likert_questions",
    "mean_ratings",
    "not_applicable_counts",
    "rankings",
    "rated_items",
    "rating_counts",
    "rating_rows",
    "rating_table",
    "ratings_mark",
    "selections",
    "surplus_ratings",
    "texts_of",
    "yes_no",
]
