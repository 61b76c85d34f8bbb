"""Which builds share code: files that are the same in many, and builds that are nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx
import pandas as pd
from datasketch import MinHash, MinHashLSH

PERMUTATIONS = 256
SCAFFOLD_SHARE = 0.8
_SHORTEST = 32  # bytes; shorter files (an empty module, a one-line configuration) are equal by chance


def shared_files(files: pd.DataFrame) -> pd.DataFrame:
    """Files whose bytes occur in two or more builds, the most widely shared first.

    `files` has the columns build, path, size, sha256. Gives sha256, size, builds (how many hold it), share (of all
    builds), path (the most frequent one), paths (how many different ones).
    """
    total = files["build"].nunique()
    known = files[(files["sha256"] != "") & (files["size"] >= _SHORTEST)]
    rows = []
    for digest, group in known.groupby("sha256", sort=True):
        builds = group["build"].nunique()
        if builds > 1:
            counts = group["path"].value_counts()
            path = min(counts[counts == counts.max()].index)
            rows.append((digest, int(group["size"].iloc[0]), builds, builds / total, path, len(counts)))
    found = pd.DataFrame(rows, columns=["sha256", "size", "builds", "share", "path", "paths"])
    return found.sort_values(["builds", "size", "path"], ascending=[False, False, True], ignore_index=True)


def scaffold_shares(files: pd.DataFrame) -> pd.DataFrame:
    """Of each build, how much of it is in files that at least 80 % of all builds hold unchanged: columns build, files,
    scaffold_files, bytes, scaffold_bytes, share (of bytes). With fewer than 3 builds nothing counts as scaffold."""
    total = files["build"].nunique()
    holders = files[files["sha256"] != ""].groupby("sha256")["build"].nunique()
    common = set(holders[holders >= SCAFFOLD_SHARE * total].index) if total >= 3 else set()
    marked = files.assign(scaffold=files["sha256"].isin(common))
    rows = [
        (
            build,
            len(group),
            int(group["scaffold"].sum()),
            int(group["size"].sum()),
            int(group.loc[group["scaffold"], "size"].sum()),
        )
        for build, group in marked.groupby("build", sort=True)
    ]
    found = pd.DataFrame(rows, columns=["build", "files", "scaffold_files", "bytes", "scaffold_bytes"])
    found["share"] = (found["scaffold_bytes"] / found["bytes"].where(found["bytes"] > 0)).fillna(0.0)
    return found


def similar_pairs(hashes: Mapping[str, Iterable[int]], threshold: float) -> pd.DataFrame:
    """Pairs of builds with an estimated Jaccard similarity of at least `threshold`: first, second, similarity.

    `hashes` gives each build's set of 32-bit hashes; a build without any is like no other. The standard error of an
    estimate is at most 0.03 (256 permutations).
    """
    sketches: dict[str, MinHash] = {}
    for build in sorted(hashes):
        values = list(hashes[build])
        if values:
            sketch = MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=int)
            sketch.update_batch(values)
            sketches[build] = sketch
    index = MinHashLSH(threshold=max(threshold - 0.05, 0.1), num_perm=PERMUTATIONS)
    for build, sketch in sketches.items():
        index.insert(build, sketch)
    rows = []
    for build, sketch in sketches.items():
        for other in index.query(sketch):
            if build < other:
                similarity = float(sketch.jaccard(sketches[other]))
                if similarity >= threshold:
                    rows.append((build, other, similarity))
    found = pd.DataFrame(rows, columns=["first", "second", "similarity"])
    return found.sort_values(["similarity", "first", "second"], ascending=[False, True, True], ignore_index=True)


def clusters(pairs: pd.DataFrame) -> pd.DataFrame:
    """The connected components of the pairs, largest first: cluster (from 1), build, similarity (to its nearest)."""
    graph: nx.Graph[str] = nx.Graph()
    for first, second, similarity in pairs.itertuples(index=False):
        graph.add_edge(first, second, similarity=similarity)
    components = sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part))
    rows = [
        (number, build, max(edge["similarity"] for edge in graph[build].values()))
        for number, part in enumerate(components, start=1)
        for build in part
    ]
    return pd.DataFrame(rows, columns=["cluster", "build", "similarity"])
