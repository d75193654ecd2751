"""Synth's app: the server imports this file, and every session runs it as a script."""

import streamlit as st

if __name__ == "__main__":
    from pages.ui.frame import session

    session.run()
else:
    from starlette.middleware import Middleware

    from pages.ui.shell import cookies, hosts, pace, serving, uploads, window

    app = st.App(
        __file__,
        middleware=[
            Middleware(hosts.Doorman, names=hosts.names()),
            Middleware(window.Window),
            Middleware(pace.Pace),
            Middleware(cookies.Cookies),
            Middleware(uploads.Quota),
        ],
        lifespan=serving.to_the_end,
    )
