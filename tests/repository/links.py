#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The links within the pages, with their anchors, lead somewhere; so do those of the site that is made of
them, and each page is in its navigation. Of a copy with links that lead nowhere, this test finds each.

usage: tests/repository/links.py [SITE]    SITE: the folder of the site; without it, the Markdown pages
"""
import glob
import html.parser
import os
import re
import shutil
import sys
import tempfile
import urllib.parse

TOP = os.path.abspath(os.path.join(__file__, "../../.."))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def broken(links, anchors_of):
    """Of (file, link): those that lead to no file, or to no anchor in it."""
    for path, link in links:
        url = urllib.parse.urlsplit(link)
        if url.scheme:
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) \
            if url.path else path
        if not os.path.exists(target):
            yield "%s: no file %s" % (path, link)
        elif url.fragment and urllib.parse.unquote(url.fragment) not in anchors_of(target):
            yield "%s: no anchor %s" % (path, link)


def text_of(path):
    """A Markdown page without its code."""
    text = re.sub(r"^```.*?^```$", "", read(path), flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def anchors_of_markdown(path):
    """As GitHub makes them of headings."""
    found = []
    for heading in re.findall(r"^#+ +(.*)$", text_of(path), re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.append("%s-%d" % (anchor, found.count(anchor)) if anchor in found else anchor)
    return found


def check_markdown(top):
    pages = glob.glob(top + "/*.md") + glob.glob(top + "/docs/**/*.md", recursive=True)
    links = [(page, link) for page in pages
             for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text_of(page)))]
    index = {os.path.normpath(os.path.join(os.path.dirname(page), link))
             for page, link in links if page == top + "/docs/README.md"}
    return ["%s: docs/README.md does not list it" % page for page in pages
            if page not in index and os.path.basename(page) != "README.md"] \
        + list(broken(links, anchors_of_markdown))


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(read(path))

    def handle_starttag(self, tag, attributes):
        self.anchors.update(value for name, value in attributes if name in ("id", "name") and value)
        self.links += [value for name, value in attributes
                       if name in ("href", "src", "data") and value and not value.startswith("javascript:")]


def check_site(site):
    pages = {path: Page(path) for path in glob.glob(site + "/*.html")}
    links = [(path, link) for path, page in pages.items() for link in page.links]
    navigation = []
    for script in set(glob.glob(site + "/*.js")) - set(glob.glob(site + "/navtreeindex*.js")): # no links
        found = [(script, link) for link in re.findall(r'"([^" ]+\.html(?:#[^"]*)?)"', read(script))]
        if script.endswith("/search-index.js"):
            links += found
        else:
            navigation += found
    listed = {os.path.basename(link) for _, link in navigation}
    sources = glob.glob(TOP + "/docs/**/*.md", recursive=True) + [TOP + "/CONTRIBUTING.md", TOP + "/CHANGELOG.md"]
    names = [os.path.basename(source)[:-3].lower() + ".html" for source in sources
             if os.path.basename(source) != "README.md"]
    return [site + ": %s is not in the navigation" % name for name in names if name not in listed] \
        + list(broken(links + navigation, lambda path: pages[path].anchors if path in pages else ()))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def finds(check, copy, name, old, new):
    """With this change in a copy, which is undone, the check finds one fault more."""
    path = os.path.join(copy, name)
    text = read(path)
    if old not in text:
        sys.exit("FAILED: %s has no %s to break" % (name, old))
    write(path, text.replace(old, new, 1))
    found = check(copy)
    write(path, text)
    if len(found) != 1 or re.sub('.*[("]([^()"]+).*', r"\1", new) not in found[0]:
        sys.exit("FAILED: %s for %s in %s: %s" % (new, old, name, found))


if len(sys.argv) > 1:
    check, top = check_site, os.path.abspath(sys.argv[1])
    plants = [("index.html", 'href="running.html"', 'href="walking.html"'),
              ("concepts.html", '"design.html#design-timing-rules"', '"design.html#design-no-rules"')]
else:
    check, top = check_markdown, TOP
    plants = [("README.md", "(docs/running.md)", "(docs/walking.md)"),
              ("docs/concepts.md", "(design.md#timing-rules)", "(design.md#no-rules)"),
              ("docs/concepts.md", "](design.md#timing-rules)", "](#no-rules)")]
wrong = check(top)
print("\n".join(wrong) or "every link leads somewhere")
if wrong:
    sys.exit(1)
with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "copy")
    shutil.copytree(top, copy, ignore=shutil.ignore_patterns("build*", ".git", "runtime", "bench", "man"))
    for name, old, new in plants:
        finds(check, copy, name, old, new)
