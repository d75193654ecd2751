"""Tables of databases that the server's operator has named."""

import streamlit as st

from pages.ui.data.taking import use
from pages.ui.data.waiting import put_aside
from pages.ui.shell import state
from pages.ui.shell.release import Source
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.private.table import list_source, named_sources, open_source_table, source_address


def source_box() -> None:
    """Show the databases that the operator has named, and tables of a chosen one.

    Nothing is shown without databases. Tables are listed on a click only.
    """
    try:
        names = [*named_sources()]
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/database_off:")
        return
    if not names:
        return
    with st.expander("Use a database", icon=":material/database:"):
        chosen = st.selectbox("Database", names, key="source_name")
        st.button("Show its tables", on_click=list_source_tables)
        source_name, tables = state.read_value("source_tables") or ("", [])
        if source_name != chosen:  # the listed tables are those of another database
            return
        if not tables:
            st.info("You may read no table of this database.", icon=":material/database_off:")
            return
        schema_place, table_place = st.columns(2)
        schemas = [*dict.fromkeys(schema_of_table for schema_of_table, _ in tables)]
        schema = schema_place.selectbox("Schema", schemas, key="source_schema")
        names = [name for schema_of_table, name in tables if schema_of_table == schema]
        table_place.selectbox("Table", names, key="source_table")
        st.button(
            "Use this table", on_click=take_source, icon=":material/table:", type="primary"
        )


@state.guard
def list_source_tables() -> None:
    """List the schemas and names of the tables of the chosen database, and store the list."""
    name = state.read_value("source_name")
    state.write("source_tables", None)  # if listing fails, no earlier list is shown
    if name in named_sources():
        with state.while_open():
            state.write("source_tables", (name, list_source(name)))


@state.guard
def take_source() -> None:
    """Copy the chosen table of a named database, and make it the current one.

    Nothing happens unless the table is in the list that the page shows.
    """
    name = state.read_value("source_name")
    schema = state.read_value("source_schema")
    table = state.read_value("source_table")
    source_name, tables = state.read_value("source_tables") or ("", [])
    if name != source_name or (schema, table) not in tables:
        return  # chosen together with the press: the page shows the new choice first
    title = f"{name}: {schema}.{table}"
    state.write("file_failed", title)  # until `use` empties it
    source = open_source(source_address(name, schema, table), title)
    put_aside()
    use(source)


def open_source(place: str, title: str) -> Source:
    """Return the table of a database as a source with this title.

    ``place`` is the address of the database with the table.
    """
    with state.while_open():
        return Source(title=title, table=open_source_table(place), place=place)
