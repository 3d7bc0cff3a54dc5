"""No file holds what belongs elsewhere: paths of a machine, things half done, ids of variants."""

import ast
import re

from tests.support.sources import ROOT, modules, tracked

# Put together here, so that this file does not find itself.
PATHS = re.compile(r"(?:^|[^.\w])/(?:wo" r"rk|ro" r"ot|fa" r"rm)/[a-z.]", re.M)
INDEXES = re.compile(r"py" r"pi\.|python" r"hosted|index" r"[-_]url\s*=|--extra-" r"index", re.I)
UNDONE = re.compile(
    r"NotImplemented" r"Error|\bTO" r"DO\b|\bFIX" r"ME\b|mark\.(?:sk" r"ip|xf" r"ail)"
)


def found(pattern: re.Pattern[str], *suffixes: str) -> list[str]:
    hits = []
    for path in tracked():
        if suffixes and path.suffix not in suffixes:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture, or a sheet in another encoding
        hits += [f"{path.relative_to(ROOT)}: {hit.group()}" for hit in pattern.finditer(text)]
    return hits


def test_no_absolute_path_of_a_machine() -> None:
    assert found(PATHS) == []


def test_no_host_of_a_package_index() -> None:
    assert found(INDEXES) == []


def test_nothing_is_left_undone() -> None:
    assert found(UNDONE, ".py") == []


VARIANTS = sorted(path.stem for path in (ROOT / "scoring/data/variants").glob("*.toml"))
# This id is a column of the sheet too; there only a comparison or a call by it is a rule in code.
ALSO_A_COLUMN = {"hearts"}
# An id with a hyphen is no word of English: it may not stand within a longer text either.
WITHIN = re.compile(
    r"(?<![\w-])(" + "|".join(re.escape(name) for name in VARIANTS if "-" in name) + r")(?![\w-])"
)


def asks_for_a_variant(node: ast.AST) -> bool:
    return bool(re.search(r"variant|catalogue|rules\(|find\(", ast.unparse(node)))


def named_variants(tree: ast.Module) -> list[str]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    texts = {id(node.value) for node in parents.values() if isinstance(node, ast.Expr)}
    return [
        f"{node.lineno}: {node.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in texts
        and (node.value in VARIANTS or WITHIN.search(node.value))
        and (
            node.value not in ALSO_A_COLUMN
            or (
                isinstance(parent := parents[node], ast.Compare | ast.Call | ast.keyword)
                and asks_for_a_variant(parent)
            )
        )
    ]


def test_no_module_names_a_variant() -> None:
    assert len(VARIANTS) >= 55
    trees = [*modules(), ("manage.py", ast.parse((ROOT / "manage.py").read_text("utf-8")))]
    named = [f"{path}:{place}" for path, tree in trees for place in named_variants(tree)]
    assert named == []


def test_no_template_names_a_variant() -> None:
    telling = [variant for variant in VARIANTS if variant not in ALSO_A_COLUMN]
    pattern = re.compile(r"[\"'](" + "|".join(map(re.escape, telling)) + r")[\"']")
    named = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "templates").rglob("*.html")
        if telling and pattern.search(path.read_text(encoding="utf-8"))
    ]
    assert named == []


def test_comparison_with_an_id_would_be_found() -> None:
    assert named_variants(ast.parse("if rules.variant == 'hearts': pass")) == ["1: hearts"]
    assert named_variants(ast.parse("if name in {'likha'}: pass")) == ["1: likha"]
    assert named_variants(ast.parse("path = 'variants/gong-zhu.toml'")) != []
    assert named_variants(ast.parse('"""As in gong-zhu."""')) == []
