"""Rankings as scores of models: mean ranks, win rates, Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.ratings import AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import answers_to, ranked
from scoring.analysis.gather import StudyData
from scoring.analysis.parts.scores import Names, RankingScores, RankRow, WinRow
from scoring.analysis.summaries import prompts_of
from scoring.stats.clustered import clustered_mean
from scoring.stats.rankings import MeanRank, Rankings, mean_ranks, win_matrix
from scoring.stats.strengths import Strengths, UnsettledFit, fit_strengths

PLACE = "Place "


def ranking_scores(
    data: StudyData,
    question: AskedQuestion,
    group: str,
    replicates: int,
    on_step: Callable[[], None],
) -> RankingScores:
    """What one group's rankings say of the models; `on_step` is called when they are fitted."""
    answers = answers_to(data, question, group)
    rankings, names = ranked(data, answers)
    by_place = bool(names) and names[0].startswith(PLACE)
    strengths, reason = _strengths(rankings, replicates, data.study.seed)
    on_step()
    prompts = _prompt_of_unit(data, answers)
    rows = [
        _row(rankings, prompts, one, names[one.item], strengths)
        for one in mean_ranks(rankings=rankings)
    ]
    wins = win_matrix(rankings=rankings)
    compared = (wins.wins + wins.wins.T).astype(int)
    components = strengths.components if strengths is not None else ()
    return RankingScores(
        question=question.key,
        group=group,
        named_by_place=by_place,
        rows=tuple(rows),
        wins=tuple(
            WinRow(
                name=name,
                rates=tuple(wins.rate(place, other) for other in range(len(names))),
                n=tuple(compared[place].tolist()),
            )
            for place, name in enumerate(names)
        ),
        reason=reason,
        components=tuple(Names(names=tuple(names[i] for i in part)) for part in components),
        n_rankings=rankings.n_rankings,
        n_raters=int(np.unique(rankings.rater).size),
        n_units=int(np.unique(rankings.prompt).size),
    )


def _strengths(
    rankings: Rankings, replicates: int, seed: int
) -> tuple[Strengths | None, str | None]:
    try:
        found = fit_strengths(rankings=rankings, replicates=replicates, seed=seed)
    except UnsettledFit:
        return None, "unsettled_fit"
    return found, found.reason


def _prompt_of_unit(data: StudyData, answers: AnswerTable) -> np.ndarray:
    """The prompt code of each unit that was ranked, in the order of the units' codes."""
    _, first = np.unique(answers.unit, return_index=True)
    return prompts_of(data, answers)[first]


def _row(
    rankings: Rankings, prompts: np.ndarray, mean: MeanRank, name: str, fit: Strengths | None
) -> RankRow:
    held = ~np.isnan(rankings.ranks[:, mean.item])
    ranks = rankings.ranks[held, mean.item]
    clustered = clustered_mean(
        values=ranks,
        rater=rankings.rater[held],
        prompt=prompts[rankings.prompt[held]] if ranks.size else ranks.astype(int),
        bounds=(1.0, float(rankings.n_items)),
    )
    strength = fit.items[mean.item] if fit is not None else None
    return RankRow(
        name=name,
        mean=mean.value,
        n=mean.n,
        sd=mean.sd,
        se_naive=mean.se_naive,
        se_clustered=clustered.se,
        se_kind=clustered.se_kind,
        interval=clustered.interval,
        places=tuple(int((ranks == place).sum()) for place in range(1, rankings.n_items + 1)),
        strength=strength.value if strength else None,
        strength_se=strength.se if strength else None,
        strength_interval=strength.interval if strength else None,
    )
