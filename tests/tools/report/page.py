#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `logp report` in a browser: what it shows, and what happens when it is touched.

usage: page.py LOGP [--browser CHROMIUM] [--pictures DIR] [--write]
    --pictures  keeps pictures there: light, dark and narrow
    --write     makes the picture of README.md again (pictured.py), and nothing else
"""
import sys
import traceback

import kept
import pictured
import printed
import shown
import stored
import support
import timeline
import touched


def main():
    for module in (pictured,) if "--write" in sys.argv else (shown, stored, touched, kept, timeline, printed, pictured):
        for name, test in vars(module).items():
            if name.startswith("test_"):
                print(name[5:].replace("_", " "), flush=True)
                try:
                    test()
                except Exception:  # whatever it is, the others are run
                    support.wrong.append(name)
                    traceback.print_exc()
    print("all good" if not support.wrong else "%d wrong" % len(support.wrong))
    return bool(support.wrong)


sys.exit(main())
