"""Code books of other tools and people, as Table Schema. PUBLIC.

``apart``      code books of any kind, read by a child process
``files``      what the child reads
``contents``   the bytes of a file: limit, encoding, JSON or not
``formats``    other tools' declarations in JSON
``sdv``        SDV metadata
``packages``   data packages and CSV on the Web
``csvw_eo``    CSV on the Web with public assumptions
``sheets``     sheets in any layout
``packed``     codes, labels and ranges in one cell
``redcap``     REDCap data dictionaries
``ddi``        DDI Codebook and DDI Lifecycle
``template``   a sheet to fill in
``variables``  the description of one column
``lost``       what another format cannot express
"""
