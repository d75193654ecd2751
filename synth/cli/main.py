"""The command line ``synth``, whose commands are `COMMANDS`.

Without an installation, use ``python -m synth``. Results go to stdout, progress to stderr.
The exit status is 0, or 2 with one sentence, or 4 if a second person has to approve first;
`verify` has its own statuses.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any, NoReturn

from synth.cli.saying import let_go_of_output, say, sentence_of
from synth.cli.watcher import have_watcher
from synth.door import add_note, note_standing
from synth.errors import (
    SPELLINGS,
    ArgumentError,
    SynthError,
    WaitingError,
    find_similar,
)
from synth.util import check_path, describe_lack, lacks_memory
from synth.util.version import __version__

# Modules of this package; only the one of the current command is imported.
COMMANDS = {
    "example": "write the simulated survey, or linked tables, to try things",
    "domain": "check, convert or draft a declaration of columns",
    "check": "count the rows that fit the declaration, before a release",
    "forecast": "show the expected error before you spend",
    "release": "make a synthetic table and its certificate",
    "verify": "check a bundle or answers",
    "dossier": "write sheets for the people who must sign a release",
    "compare": "compare real and synthetic rows (private!)",
    "analyse": "answer questions from a bundle, with intervals",
    "replicates": "make several tables for multiple imputation",
    "draw": "draw rows of a bundle again, or with set shares",
    "export": "write a bundle's rows for Excel, SPSS, Stata or SAS",
    "dummy": "make a dummy table from the declaration, to write code",
    "ask": "answer questions about a table, with noise",
    "collect": "make a form that randomises answers, and read them",
    "ledger": "read, check or export a ledger, change a budget, allow checks",
    "approve": "decide as the second person about a request",
    "app": "serve the app on this machine, until Ctrl-C",
    "desktop": "open the app in a window of its own",
}
# Examples of each command end its help, and run in this order.
_SURVEY = "demo/survey.csv --domain demo/survey.schema.json"
EXAMPLES = {
    "example": "example --out demo",
    "domain check": "domain check demo/survey.schema.json",
    "domain convert": "domain convert demo/survey.schema.json --to sdv2",
    "domain draft": "domain draft demo/survey.csv --out demo/draft.json",
    "domain template": "domain template demo/survey.csv --out demo/template.csv",
    "check": f"check {_SURVEY} \\\n    --epsilon 0.1",
    "forecast": "forecast --domain demo/survey.schema.json --epsilon 1 \\\n    --rows 20000",
    "release": f"release {_SURVEY} \\\n    --epsilon 1 --out demo/release.zip",
    "verify": "verify demo/release.zip",
    "dossier": "dossier demo/release.zip --out demo/dossier",
    "compare": "compare demo/survey.csv demo/release.zip",
    "analyse": "analyse demo/release.zip --question 'share where smoker = yes'",
    "replicates": "replicates demo/release.zip --tables 5 --out demo/tables",
    "draw": "draw demo/release.zip --where 'smoker = yes' --rows 500 \\\n    --out "
    "demo/drawn.zip",
    "export": "export demo/release.zip --out demo/people.xlsx",
    "dummy": "dummy demo/survey.schema.json --rows 100 --out demo/dummy.zip",
    "ask --forecast": "ask --domain demo/survey.schema.json --question 'mean age' \\\n"
    "    --error 0.5 --forecast --rows 20000",
    "ask": f"ask {_SURVEY} \\\n    --epsilon 0.2 --question 'mean age by sex'",
    "collect form": "collect form --question 'Do you smoke?' --epsilon 1 \\\n"
    "    --out demo/form.html",
    "collect plan": "collect plan --question 'Do you smoke?' "
    "--epsilon 1 \\\n    --error 0.05",
    "collect read": "collect read demo/answers --form demo/form.html",
    "ledger show": "ledger show",
    "ledger verify": "ledger verify",
    "ledger export": "ledger export > demo/ledger.jsonl",
    "ledger checks": "ledger checks 3 --dataset survey --asker 'Ada Lovelace'",
    "ledger budget": "ledger budget 5 --dataset survey \\\n"
    "    --reason 'a second wave in spring'",
    "ledger persons": "ledger persons",
    "ledger reserve": "ledger reserve 0.5 --dataset survey --project atlas",
    "approve": "approve",
    "app": "app --port 8600",
    "desktop": "desktop --install --out demo",
}


# Placeholders of values that are paths; the rest of a placeholder says which files.
PATH_WORDS = frozenset("FILE FILES DIR FOLDER PATH ZIP TABLE BUNDLE DOMAIN SYNTHETIC".split())

# The exit status of a command whose request waits for a second person.
WAITS = 4
_FIRST = ("example", "release", "verify")  # the examples of `synth --help`


# Sentences of argparse, and what they say in plain words, without the typed value.
_PLAIN_WORDS = (
    (r"^argument (\S+?)(/\S+)?: expected one argument$", r"\1 needs a value after it"),
    (r"^argument (\S+): ignored explicit argument .*$", r"\1 takes no value"),
)


class _Once(argparse.Action):
    """Refuses a second value instead of using the last."""

    def __call__(  # noqa: PLR0917 - the signature of argparse
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        name: str | None = None,
    ) -> None:
        """Set the value of an option; argparse calls this for each time that it is typed."""
        given_options: frozenset[str] = getattr(namespace, "given", frozenset())
        if self.dest in given_options:
            parser.error(f"the option {name} is given twice; leave one")
        namespace.given = given_options | {self.dest}
        setattr(namespace, self.dest, values)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Writes usages that name only what a command needs; groups list its other options."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._action_max_length = 14  # the longest command with its indentation

    def _format_usage(  # noqa: PLR0917 - the signature of argparse
        self, usage: str | None, actions: Any, groups: Any, prefix: str | None
    ) -> str:
        """Return the usage with required options and arguments only.

        "[options]" stands for the others, unless a command wrote its own usage.
        """
        needed = [
            action for action in actions if action.required or not action.option_strings
        ]
        text = super()._format_usage(usage, needed, groups, prefix)
        # A usage is whole if the only other option is --help. Without a prefix it is the
        # beginning of the usages of subcommands.
        is_whole = usage or prefix == "" or len(actions) < len(needed) + 2
        return text if is_whole else f"{text.rstrip()} [options]\n\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(text, width, break_on_hyphens=False)


class _Parser(argparse.ArgumentParser):
    """A parser that takes each option once, shows examples, and raises Synth's errors."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take the arguments of argparse, with a format of the help of Synth's own.

        The name of an option is typed in full: what an abbreviation means today, another
        option may mean tomorrow.
        """
        settings = {"formatter_class": _Formatter, "allow_abbrev": False, **options}
        super().__init__(*args, **settings)
        # Options without an action, and with "store", take one value and refuse a second.
        self.register("action", None, _Once)
        self.register("action", "store", _Once)
        self._positionals.title = "arguments"

    def format_help(self) -> str:
        """Return the help, with examples of this command at its end."""
        # Such as "python -m ", "synth" and " ledger show".
        start, name, command = self.prog.partition("synth")
        examples = list_examples(command.strip())
        # Further lines of an example are indented more than its first one.
        lines = [
            f"  {start}{name} {example}\n".replace("\n ", "\n   ") for example in examples
        ]
        title = "example" if len(examples) == 1 else "examples"
        return "".join([super().format_help(), f"\n{title}:\n", *lines])

    def parse_known_args(self, *words: Any) -> Any:  # type: ignore[override]
        """Parse the words of a command; refuse unknown ones, and paths that cannot be.

        Raises:
            ArgumentError: A word is no option; the sentence names the nearest one.
        """
        typed, *others = words or (sys.argv[1:],)
        typed = [_respell(word) for word in typed]
        # Each option is looked at before the first missing one is named.
        if self._subparsers is None:
            for word in _long_options(typed):
                self._refuse_unknown(word)
        namespace, unknown_words = super().parse_known_args(typed, *others)
        if unknown_words:
            word = unknown_words[0]
            if word[:1] == "-":
                self._refuse_unknown(word)
            # A word too many is not quoted, as it may come from a table.
            self.error(
                "there is a word too many; put names with blanks in quotes, and commas "
                "between several names"
            )
        for action in self._actions:
            if _holds_path(action):
                _check_paths(action, getattr(namespace, action.dest, None))
        return namespace, unknown_words

    def _refuse_unknown(self, word: str) -> None:
        """Refuse an option that this command does not have, and name the nearest one."""
        name = word.partition("=")[0]
        if name not in self._option_string_actions:
            options = [*self._option_string_actions]
            hint = (
                _name_new(name, options)
                or _name_elsewhere(name)
                or _suggest_nearest(name, options)
            )
            if not hint and name[:2] != "--":
                hint = "; options are written in full, after two hyphens"
            self.error(f"there is no {name}{hint}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Return a typed value; of a choice, also in capitals or with "_" in place of "-"."""
        value = super()._get_value(action, arg_string)
        if action.choices is not None and value not in action.choices:
            spelled = arg_string.strip().lower().replace("_", "-")
            return spelled if spelled in action.choices else value
        return value

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is no choice, and name the nearest one, or all of them."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        name = action.option_strings[0] if action.option_strings else "the command"
        hint = _suggest_nearest(str(value), choices)
        one_of = ", ".join(choices)
        self.error(f"{name} must be one of {one_of}, but it is '{str(value)[:80]}'{hint}")

    def error(self, message: str) -> NoReturn:
        for pattern, sentence in _PLAIN_WORDS:
            message = re.sub(pattern, sentence, message, flags=re.DOTALL)
        raise ArgumentError(f"{message[:1].upper()}{message[1:]} (see {self.prog} --help).")


def run() -> int:
    """Run the command of this process, and return its exit status.

    A second process, the watcher, says what was spent if this one is killed.
    """
    # Arrow's own allocator keeps what a thread gives back from the other threads, so that
    # large tables would need a fifth more memory. Arrow reads this when it is loaded.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if sys.argv[1:2] == ["app"]:
        # A server is ended by a signal, and tells the spends on its pages.
        return main()
    with have_watcher() as tell:
        return main(tell=tell)


def main(
    arguments: Sequence[str] | None = None, *, tell: Callable[[str], None] | None = None
) -> int:
    """Run one command; return the exit status: 0, or that of the command, or 2 for an error.

    It is `WAITS` if the request waits for a second person.

    An error is printed as one sentence, never as a traceback, which could show private
    values.

    Args:
        arguments: The words of the command; by default those of this process.
        tell: Called with the amount spent, whenever that changes.
    """
    try:
        with note_standing("the same command", tell):
            words = _with_help([*(sys.argv[1:] if arguments is None else arguments)])
            # Only the module of this command is imported, as `parser` adds its options alone.
            command = words[0]
            if command not in COMMANDS:
                _refuse_first_word(command)
                command = ""
            options = parser(command).parse_args(words)
            if getattr(options, "table", None):
                load_libraries()
            return int(options.run(options) or 0)
    except WaitingError as error:
        _fail(f"{error} `synth approve {error.request}` shows it.")
        return WAITS
    except SynthError as error:
        return _fail(str(error))
    except KeyboardInterrupt as error:
        if sys.stderr.isatty():  # a bar may be on the line
            print(file=sys.stderr)
        return _fail(add_note("Stopped.", error))
    except BrokenPipeError as error:
        let_go_of_output()
        sentence = add_note("No program reads the output any more.", error)
        return _fail(sentence) if hasattr(error, "__notes__") else 0
    except Exception as error:  # noqa: BLE001 - a traceback could show private values
        if lacks_memory(error):
            return _fail(describe_lack(error))
        kind = _describe_kind(error)
        return _fail(add_note(f"Synth failed in a way it did not expect ({kind}).", error))


def _describe_kind(error: Exception) -> str:
    """Return the type of an error, and of a failure of the system the system's words for it.

    These follow from the error's number alone. The error's own message could hold a value.

    >>> _describe_kind(KeyError("a cell")), _describe_kind(OSError(5, "a cell"))
    ('KeyError', 'OSError: Input/output error')
    """
    kind = type(error).__name__
    number = error.errno if isinstance(error, OSError) else None
    return kind if number is None else f"{kind}: {os.strerror(number)}"


def _refuse_first_word(word: str) -> None:
    """Refuse a word that begins a command line and is no command, unless it is an option.

    Raises:
        ArgumentError: The sentence names the nearest command or option.
    """
    options = ("-h", "--help", "--version")
    if word[:1] != "-":
        parser("").error(f"there is no command {word[:80]}{_suggest_nearest(word, COMMANDS)}")
    if word not in options:
        hint = _suggest_nearest(word, options) or "; a command line begins with a command"
        parser("").error(f"there is no option {word[:80]}{hint}")


def load_libraries() -> None:
    """Load the libraries that read and write tables.

    A command that is given a table loads them before it reads or spends anything: if memory
    is too short for them, nothing is lost.
    """
    import duckdb  # noqa: F401
    import pyarrow.compute  # noqa: F401


def program_name(program: str) -> str:
    """Return the name of this command line as it was called, for its help.

    >>> program_name("/somewhere/bin/synth"), program_name("synth/__main__.py")
    ('synth', 'python -m synth')
    """
    return "synth" if Path(program).stem == "synth" else "python -m synth"


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands.

    Args:
        command: The command whose options are added; None for the options of all commands,
            and an empty text for none.
    """
    parser = _Parser(prog=program_name(sys.argv[0]), description="Private synthetic tables.")
    version = f"synth {__version__}"
    parser.add_argument(
        "--version", action="version", version=version, help="show the version"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command_parser = commands.add_parser(
            name, help=summary, description=sentence_of(summary)
        )
        if command in (None, name):
            import_module(f"synth.cli.{name}").define(command_parser)
    return parser


def list_examples(command: str) -> list[str]:
    """Return the examples of a command and its verbs; an empty text gives the first steps.

    >>> list_examples("example"), len(list_examples("ledger")), len(list_examples(""))
    (['example --out demo'], 7, 3)
    """
    # Names begin with the command; the blanks compare whole words.
    examples = [
        example for name, example in EXAMPLES.items() if f"{name} ".startswith(f"{command} ")
    ]
    return examples if command else [EXAMPLES[name] for name in _FIRST]


def _holds_path(action: argparse.Action) -> bool:
    """Return whether an option takes paths, by the words of its placeholder."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return not PATH_WORDS.isdisjoint(re.split("[^A-Z]", metavar))


def _check_paths(action: argparse.Action, value: object) -> None:
    """Refuse a typed path that cannot be one, such as an empty text.

    Args:
        action: The option, whose default is not checked.
        value: A path, a list of paths, or None.
    """
    name = action.option_strings[0] if action.option_strings else str(action.metavar)
    for path in value if isinstance(value, list) else [value]:
        if isinstance(path, str) and path != action.default:
            check_path(path, name)


def _with_help(words: list[str]) -> list[str]:
    """Return the words of a command, where no word and ``help`` ask for the help.

    >>> _with_help([]), _with_help(["help", "domain", "draft"])
    (['--help'], ['domain', 'draft', '--help'])
    """
    if not words or words == ["help"]:
        return ["--help"]
    return [*words[1:], "--help"] if words[0] == "help" else words


# Options of earlier versions, and what has their place: of these, a command has one or two.
RENAMED = {
    "--format": {
        "--read": "reading options are given by --read OPTION=VALUE",
        "--formats": "formats to write are given by --formats F,F",
    },
    "--output": {
        "--formats": "formats to write are given by --formats F,F",
        "--out": "the file to write is named by --out FILE",
    },
    "--bundle": {"--out": "a bundle is written by --out FILE.zip"},
    "--parts": {"--in-parts": "a folder in parts is written by --in-parts --out FOLDER"},
    "--report": {"--out": "the report is written by --out FILE.html"},
    "--design": {"--out": "the design of a form is written by --out FILE.json"},
    "--rules-out": {"--out": "rules are written next to the description of --out FILE.json"},
}


def _respell(word: str) -> str:
    """Return a word in the spelling of the options.

    >>> _respell("--neighbours=add-remove"), _respell("--favor")
    ('--neighbors=add-remove', '--favour')
    """
    name, sign, value = word.partition("=")
    if name[:2] != "--":
        return word
    return f"--{SPELLINGS.get(name[2:], name[2:])}{sign}{value}"


def _long_options(words: Sequence[str]) -> list[str]:
    """Return the words that can only be options: with two hyphens, and without a blank."""
    end = words.index("--") if "--" in words else len(words)
    return [word for word in words[:end] if word[:2] == "--" and " " not in word]


def _name_new(name: str, options: Iterable[str]) -> str:
    """Return the end of a sentence about an option of earlier versions; empty for others.

    Args:
        name: The option as it was typed.
        options: The options of the command.

    >>> _name_new("--bundle", ["--out"])
    '; a bundle is written by --out FILE.zip'
    """
    places = RENAMED.get(name, {})
    return "".join(f"; {place}" for option, place in places.items() if option in options)


def _name_elsewhere(name: str) -> str:
    """Return the end of a sentence about an option of other commands; empty for others.

    Their modules are not imported, as that would take longer than the commands themselves.
    """
    from synth.plans import OPTIONS

    is_elsewhere = any(option.flag == name for option in OPTIONS.values())
    return "; it is an option of other commands" if is_elsewhere else ""


def _suggest_nearest(word: str, choices: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the nearest choice; empty without one."""
    nearest = find_similar(word, choices)
    return f"; did you mean {nearest}?" if nearest else ""


def _fail(sentence: str) -> int:
    say(sentence, to=sys.stderr)
    return 2
