"""What leaves the building, as files. PUBLIC.

``result``             a release as it was made
``certify``            the certificate of one that was just made
``asked``              questions as they were answered
``answers``            the files of answers
``certify_answers``    the certificate of answers that were just given
``certificate``        certificates, read and written
``certificate_parts``  what they are made of
``declaration``        what is promised of the declaration, and of rows that fit it
``claims``             what is promised, in words
``scores``             utility scores, as a certificate has them
``typed_json``         dataclasses as JSON, read strictly
``schema``             the published JSON schemas, made from the certificate's classes
``resources``          what each file is, in one table
``data_package``       the bundle as a Frictionless data package
``croissant``          the same for catalogues of machine learning
``exports``            synthetic rows for Excel, SPSS, Stata, SAS and typed Parquet
``writer``             the one writer of all files
``archive``            all of them in one zip
``parts``              rows as a folder of parts, each written by whoever has it
``parted``             a release whose rows are held and written like that
``texts``              statement, commands and the other texts
``dictionary``         the data dictionary, and the domain for SDV
``guard``              cells that no spreadsheet runs
``replicas``           tables like the release's own, as files of a folder
``guide``              how to use the files: what is kept, and worked examples
``notebook``           these examples as a notebook
``report``             the report, one HTML page
"""
