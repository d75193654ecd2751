"""What leaves the building, as files. PUBLIC.

``result``             a release
``certify``            its certificate
``check_request``      a request to compare a claimed figure
``asked``              questions and their answers
``certify_answers``    their certificate
``answers``            the files of answers
``certificate``        certificates
``certificate_parts``  their parts
``drawn``              dummies, and rows of a release drawn again
``declaration``        the promise about the declaration
``claims``             the promise in words
``spend_view``         a second person's view of a spend before approving it
``linked``             a release of linked tables
``scores``             utility scores in a certificate
``typed_json``         dataclasses as JSON
``schema``             the published JSON schemas of certificates
``published``          the schemas of all other files that stay
``resources``          all files in one table
``data_package``       a Frictionless data package
``croissant``          for catalogues of machine learning
``ddi``                for data archives
``exports``            rows for Excel, SPSS, Stata, SAS and typed Parquet
``writer``             the one writer of all files
``archive``            all files in one zip
``parted_result``      a release with rows in parts
``parted``             its parts as files
``texts``              statement, commands and other texts
``dictionary``         the data dictionary
``guard``              cells that no spreadsheet runs
``replicas``           replicates as files of a folder
``examples``           worked examples, and advice on the rows
``notebook``           the examples as a notebook
``figures``            the figures of a release
``open_html``          the page ``open.html``, which shows and checks a bundle
``pages``              the files that show a release
``report``             reports with charts
``noisy_picture``      noisy counts next to their repairs, as pictures
``file_names``         the names of the files of a release
``download_names``     those under which they leave the app
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.bundle.answers import ANSWER_FILES, DECLARATION, INQUIRY, STATEMENT, writers_of
    from synth.bundle.archive import (
        Archive,
        describe_entry,
        read_archive,
        read_bundle,
        read_folder,
        take_out,
    )
    from synth.bundle.file_names import NOTES, OPEN_PAGE, PARTS, PLAN, SCHEMA
    from synth.bundle.asked import Asked
    from synth.bundle.certificate import (
        AnswersCertificate,
        Certificate,
        DrawnCertificate,
        HistogramCertificate,
        LinkedCertificate,
        MarginalsCertificate,
        ReleaseCertificate,
        form_of,
        published_schemas,
    )
    from synth.bundle.certificate_parts import (
        AnswerRecord,
        ChoiceNoise,
        LeastMove,
        LinkedPayment,
        NEVER_SPENT,
        MomentRecord,
        MoveRecord,
        Payment,
        PortionRecord,
        ScoreRecord,
    )
    from synth.bundle.certify import (
        ROUNDING,
        SpendOfRelease,
        make_certificate,
        record_identifiers,
        versions,
    )
    from synth.bundle.certify_answers import (
        SpendOfAnswers,
        certify_portions,
        grain_of,
        portion_record,
        rows_in_words,
    )
    from synth.bundle.check_request import (
        CheckRequest,
        load_check_request,
        read_check_request,
    )
    from synth.bundle.claims import (
        CONDITIONS,
        GUARANTEE,
        at_most,
        claim_of,
        claim_of_answers,
        epsilon_of_facts,
        in_words,
        posterior,
    )
    from synth.bundle.data_package import describe_files
    from synth.bundle.spend_view import describe_spend
    from synth.bundle.published.dossier import (
        DOSSIER_CHOICES,
        DOSSIER_DAYS,
        DOSSIER_FORMAT,
        DOSSIER_QUESTIONS,
    )
    from synth.bundle.ddi import DDI, codebook
    from synth.bundle.declaration import (
        beyond_answers,
        beyond_domain,
        beyond_of,
        check_declaration,
        check_fit_said,
        check_looks,
        check_prepared,
        last_check,
        linked_rows_fit,
        loses_relations,
        preparations_in,
        relations_of,
        without_preparations,
    )
    from synth.bundle.drawn import (
        DrawnRows,
        certify_without_release,
        draw_dummy,
        draw_more,
        request_rows,
        drawn_name,
        drawn_names,
        drawn_texts,
        drawn_writers,
        refuse_drawn_file,
    )
    from synth.bundle.exports.export import (
        MANIFEST,
        describe_export,
        export,
        manifest,
        notes_on,
    )
    from synth.bundle.exports.format import FileFormat
    from synth.bundle.exports.registry import FORMATS, formats_named
    from synth.bundle.exports.tables import BUNDLED_TABLES, CSV
    from synth.bundle.guard import (
        guard_cell,
        guarded_domain,
        guarded_table,
        is_guarded,
        write_guarded,
    )
    from synth.bundle.open_html import digest_source, part_schemas
    from synth.bundle.linked import (
        LinkedResult,
        certify_linked,
        describe_linked,
        linked_caveats,
        linked_claim,
        linked_names,
        linked_texts,
        payment_of,
        roots_in_words,
        table_files,
        write_noisy,
    )
    from synth.bundle.noisy_picture import (
        CountsInView,
        find_negative_columns,
        find_negative_table,
        measured_tables,
        tabulate_repairs,
        view_columns,
        view_model,
        view_repaired,
        whole_counts,
    )
    from synth.bundle.parted_result import PartedResult
    from synth.bundle.parted import (
        Manifest,
        PieceWriter,
        joined_digest,
        part_name,
        parted_names,
    )
    from synth.bundle.replicas import (
        RULE,
        check_replicates,
        replica_formats,
        warn_unmeasured,
        ReplicaFiles,
        write_replicates,
    )
    from synth.bundle.pages import write_pages
    from synth.bundle.report import gallery, list_items, noise_shape, page
    from synth.bundle.resources import (
        DATA_PACKAGE,
        DESCRIBING,
        SINGLE_FILES,
        TABLE,
        WrittenFile,
        only_explains,
    )
    from synth.bundle.dictionary import DICTIONARY
    from synth.bundle.result import certificate_beside, folder_names, Result
    from synth.bundle.scores import (
        check_paid,
        noise_of,
        SpendOfScore,
        record_score,
        said_of,
        score_reach,
        scored_pairs,
        with_score,
        without_scores,
    )
    from synth.bundle.texts import json_bytes, write_texts
    from synth.bundle.typed_json import WrongFormError, read_typed, write
    from synth.bundle.writer import WritingProgress, noisy_table, sha256
    from synth.util import NOTHING_PROTECTED
    from synth.bundle.file_names import CERTIFICATE, DOMAIN, NOISY, PARQUET, PARTED, SYNTHETIC
    from synth.bundle.download_names import base_name, clean_stem, download_name

__getattr__ = offer(__name__)
