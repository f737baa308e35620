"""What the experiment of a paper returns, and how its claims are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from seedbed.common.declarations import Declaration, Option, options_of
from seedbed.evaluation.claims import Claim, Verdict, by_claim, outcome_of
from seedbed.evaluation.crawl_measures import Baseline, baseline_of
from seedbed.evaluation.tables_and_figures import Figure, Table
from seedbed.graph.web import Web


@dataclass(frozen=True, kw_only=True)
class Paper(Declaration):
    """A paper whose experiment can be reproduced: on one web or, with `pair`, on an old and a newer one.

    `experiment(web, settings, progress)`, or `experiment(old, new or None, settings, progress)`. `settings` is a class;
    its fields with a help text are the options. Every run judges all of the `claims`, or says why it cannot.
    """

    experiment: Callable[..., Experiment]
    settings: type[Any]
    claims: tuple[Claim, ...] = ()
    pair: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of the experiment."""
        return tuple(option for option in options_of(self.settings) if option.help)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of an experiment, each checked."""

    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for option in options_of(type(self)):
            option.check(getattr(self, option.name))


@dataclass(frozen=True, kw_only=True)
class BaselineSettings(Settings):
    """The options of an experiment that compares something with random pages."""

    crawled_only: Annotated[
        bool, Option("Draw random pages only from those that were crawled, if it is known which were.")
    ] = True

    def baseline(self, web: Web) -> Baseline:
        """The pages of a web that random ones are drawn from."""
        return baseline_of(web, crawled_only=self.crawled_only)


@dataclass(frozen=True)
class Experiment:
    """All tables and figures of a paper, recomputed from the user's webs. `title`: if it is an experiment of ours.

    >>> import seedbed as sb
    >>> found = sb.reproduce("alam", sb.make_web(pages=1000), k=5, draws=2, repeats=1)
    >>> found.figures[0].columns
    ('series', 'x', 'y', 'error', 'chosen_by_this', 'label')
    """

    paper: str
    reference: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    title: str = ""

    @property
    def heading(self) -> str:
        """The title of its page."""
        return self.title or f"The experiment of {self.paper.capitalize()} et al., reproduced"

    @property
    def parts(self) -> list[Table | Figure]:
        """Tables, then figures."""
        return [*self.tables, *self.figures]

    @property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """(name of a table or figure, verdict) for all of them."""
        return [(part.name, one) for part in self.parts for one in part.verdicts]

    @property
    def judged(self) -> dict[Claim, list[Verdict]]:
        """The verdicts on each claim, in the order of the tables and figures."""
        return by_claim(one for _, one in self.verdicts)

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "paper": self.paper,
            "settings": dict(self.settings),
            "tables": [table.name for table in self.tables],
            "figures": [figure.name for figure in self.figures],
            "claims": [
                {
                    **asdict(claim),
                    "outcome": outcome_of(verdicts),
                    "verdicts": [{"of": one.of, "holds": one.holds, "found": one.found} for one in verdicts],
                }
                for claim, verdicts in self.judged.items()
            ],
            "notes": list(self.notes),
        }
