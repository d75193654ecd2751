"""Code books: what other tools and people write of a table's columns, as Table Schema. PUBLIC.

``apart``      code books of any kind, read by a child process
``files``      a file of any such kind, and several of them together: what the child reads
``contents``   the bytes of a file: their limit, their encoding, whether they are JSON
``agreement``  several code books of one table
``formats``    other tools' declarations in JSON
``nist``       NIST's data dictionaries
``pgm``        private-pgm's domains
``sdv``        SDV metadata
``packages``   Frictionless data packages and CSV on the Web
``csvw_eo``    the latter with public assumptions of a private release
``sheets``     code books as sheets, in whichever columns
``packed``     codes, labels and ranges in one cell of a sheet
``redcap``     REDCap data dictionaries
``ddi``        DDI Codebook and DDI Lifecycle
``statistics`` what an SPSS or Stata file says of its own variables
``template``   a sheet to fill in
``variables``  what a code book says of one column
``pieces``     what readers and writers share
``lost``       what another format cannot say
"""
