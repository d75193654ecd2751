"""What every engine that counts rows must do: a test class of each inherits it.

Each test has an answer that no engine gave: by a plain reader, by hand, or from rows that are
held."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import pandas as pd
import pytest

from synth.domain import Categorical, Domain
from synth.lessons import survey_domain, write_example
from synth.privacy import ROW, Unit
from synth.private.counting import Counts, count
from synth.private.table import PrivateTable, open_table
from tests.counting.coding import coded, passing
from tests.tables import MIXED, ROWS, cells, write


class EngineContract:
    """The contract; a subclass says which engine."""

    engine: ClassVar[str]

    def count(self, table: PrivateTable, domain: Domain, unit: Unit = ROW) -> Counts:
        """Count the table with the engine under test."""
        return count(table, domain, unit, engine=self.engine)

    def test_every_rule_of_the_small_table(self, tmp_path: Path) -> None:
        """The engine puts every row of the odd table into the cell that a plain Python reader
        finds.

        The expected cells come from `tests.tables.cells`. Some rows are dropped by a rule for
        values outside, so the counts add up to fewer than all rows.
        """
        counts = self.count(
            open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS)), MIXED
        )
        counts_by_cell = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))

        assert Counter(counts_by_cell) == Counter(cells(MIXED, ROWS))

        assert counts.rows == len(ROWS)
        assert counts.dense().sum() == len(cells(MIXED, ROWS)) < len(ROWS)

    @pytest.mark.parametrize("unit", [ROW, Unit("day", 2)], ids=["row", "person"])
    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_marginals_of_rows_that_pass_by(
        self, tmp_path: Path, unit: Unit, kind: str
    ) -> None:
        """Marginals that are counted in one scan equal those of rows that are held in memory.

        All groups of one, two or three columns are counted. With a person for each day and at
        most two rows of each, 12 of the 33 rows count: each of six persons has three rows or
        more.
        """
        table = open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS * 3))
        if kind == "parquet":
            frame = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
            frame.to_parquet(tmp_path / "t.parquet")
            table = open_table(tmp_path / "t.parquet")

        groups = [
            group
            for size in (1, 2, 3)
            for group in combinations(range(len(MIXED.columns)), size)
        ]

        rows = coded(table, MIXED, unit)
        marginals = passing(table, MIXED, groups, unit=unit, engine=self.engine)
        assert repr(marginals) == "CountedRows(private)"
        assert (marginals.rows, marginals.unit) == (rows.rows, unit)
        # The table has 33 rows. Six persons have at least three rows inside, and two count.
        assert rows.rows == (33 if unit is ROW else 12)

        for group in groups:
            streamed, in_memory = marginals.count(group), rows.count(group)
            assert streamed.domain == in_memory.domain
            assert streamed.cells.tolist() == in_memory.cells.tolist()
            assert streamed.counts.tolist() == in_memory.counts.tolist()

    @pytest.mark.parametrize("folder", ["a=F", "sex=F"])
    def test_the_name_of_a_folder_is_no_column(self, tmp_path: Path, folder: str) -> None:
        """A folder named like ``a=F`` adds no column and changes no cell of the files in it.

        Engines may read such a name as a column a whose value is F for all rows. Here column
        a has one x and two y, and no F.
        """
        (tmp_path / folder).mkdir()
        frame = pd.DataFrame({"a": ["x", "y", "y"], "b": ["1", "2", "2"]})
        frame.to_parquet(tmp_path / folder / "part.parquet")
        frame.to_csv(tmp_path / folder / "part.csv", index=False)

        domain = Domain((Categorical(name="a", categories=("x", "y", "F")),))
        for path in (tmp_path / folder, *(tmp_path / folder).iterdir()):
            assert self.count(open_table(path), domain).dense().tolist() == [1, 2, 0]

    def test_a_category_is_no_sql(self, tmp_path: Path) -> None:
        """Quotes and backslashes in categories or names never end a text in the generated
        SQL.

        Each of the six categories is in one row. Two more texts are no category, and share
        the last cell.
        """
        words = ("it's", "\\", "\\') THEN 0 WHEN TRUE OR t0 IN (\\'", "\\' OR 1=1 --", "${x}")
        column = Categorical(name="it's", categories=(*words, "a\\'b"), outside="cell")
        rows = [[word] for word in (*column.categories, "else", "it''s")]
        table = open_table(write(tmp_path / "t.csv", ["it's"], rows))
        assert self.count(table, Domain((column,))).dense().tolist() == [1] * 6 + [2]

    def test_a_column_named_like_a_setting_is_read(self, tmp_path: Path) -> None:
        """A column whose name looks like ``${setting}`` is read under just that name.

        Hadoop puts the value of a setting for its name in ${}, and then finds no such column.
        Expected are two x, one y, and no missing value.
        """
        name = "a ${spark.app.name} ${user.home}"
        pd.DataFrame({name: ["x", "y", "x"]}).to_parquet(tmp_path / "t.parquet")
        domain = Domain((Categorical(name=name, categories=("x", "y"), missing=True),))
        table = open_table(tmp_path / "t.parquet")
        assert self.count(table, domain).dense().tolist() == [2, 1, 0]

    def test_the_simulated_survey(self, tmp_path: Path) -> None:
        """The counts of the simulated survey's 20,000 rows are those that pandas counts."""
        table, domain = open_table(write_example(tmp_path)[0]), survey_domain()
        assert self.count(table, domain).rows == 20_000

        sexes = pd.read_csv(tmp_path / "survey.csv")["sex"].value_counts()
        counts_by_sex = self.count(table, domain.project(["sex"])).dense().tolist()
        assert counts_by_sex == [sexes["female"], sexes["male"]]
