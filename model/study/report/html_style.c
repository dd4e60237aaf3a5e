/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--muted:#5b6169;--paper:#fff;--shade:#f5f6f7;--line:#d9dce0;"
    "--strong:#0b5394;--warn:#8a4b00;--warn-paper:#fdf3e2}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e3e5e8;--muted:#a0a6ae;--paper:#16181b;--shade:#1f2226;"
    "--line:#383c42;--strong:#8ec1f0;--warn:#f0bf74;--warn-paper:#33291a}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);line-height:1.55;"
    "font-family:system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}\n"
    "main,header,footer{max-width:68rem;margin:0 auto;padding:0 1.25rem}\n"
    "header{padding-top:2.75rem}\n"
    "footer{padding-top:1.5rem;padding-bottom:3rem;color:var(--muted);font-size:.85rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.012em;margin:0 0 "
    ".5rem;max-width:46rem;"
    "text-wrap:balance}\n"
    "h2{font-size:1.25rem;line-height:1.3;font-weight:650;margin:3rem 0 .9rem;padding-top:1.1rem;"
    "border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;font-weight:650;margin:1.9rem 0 .6rem}\n"
    "p,ul,ol,dl{margin:0 0 .9rem;max-width:46rem}\n"
    "ul{padding-left:1.15rem}\n"
    "li{margin:0 0 .45rem}\n"
    "a{color:var(--strong);text-underline-offset:.15em}\n"
    ":focus-visible{outline:2px solid var(--strong);outline-offset:2px}\n"
    "header .eyebrow{color:var(--muted);font-size:.85rem;margin:0 0 .6rem}\n"
    "header .facts,.note{color:var(--muted);font-size:.92rem}\n"
    "nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:1.1rem 0 0;"
    "font-size:.92rem;max-width:none}\n"
    "nav li{margin:0}\n"
    ".question{font-size:1.15rem;line-height:1.45}\n"
    ".question::first-letter{text-transform:uppercase}\n"
    ".answer li{margin-bottom:.6rem}\n"
    ".answer strong{font-variant-numeric:tabular-nums;font-weight:650;white-space:nowrap}\n"
    ".warn{background:var(--warn-paper);color:var(--warn);border-radius:.35rem;padding:.7rem .9rem}\n"
    "figure{margin:0 0 2.2rem}\n"
    "figure img{display:block;max-width:100%;height:auto;background:#fff;border-radius:.3rem}\n"
    "figcaption{color:var(--muted);font-size:.92rem;margin-top:.6rem;max-width:46rem}\n"
    ".scroll{overflow-x:auto;margin:0 0 1.6rem}\n"
    "figure .scroll{margin:0}\n"
    "table{border-collapse:collapse;font-size:.89rem;font-variant-numeric:tabular-nums lining-nums}\n"
    "caption{text-align:left;color:var(--muted);padding:0 0 .55rem;max-width:46rem}\n"
    "th,td{padding:.32rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "thead th{vertical-align:bottom;font-weight:600;border-bottom:2px solid var(--ink)}\n"
    "thead .group{border-bottom:1px solid var(--line);text-align:center}\n"
    "thead tr:first-child td{border-bottom:0}\n"
    "tbody th{font-weight:400;white-space:nowrap}\n"
    "tbody tr:hover{background:var(--shade)}\n"
    ".number{text-align:right}\n"
    "td.number{white-space:nowrap}\n"
    "thead .number{max-width:8.5rem}\n"
    "th:first-child,td:first-child{padding-left:0}\n"
    "#flags td:last-child{white-space:nowrap}\n"
    "#parameters td{min-width:7.5rem}\n"
    ".half-width{padding-left:0;color:var(--muted);white-space:nowrap}\n"
    ".unit,.group-of{display:block;font-weight:400;color:var(--muted);font-size:.92em}\n"
    "td.verbatim{white-space:pre-wrap;overflow-wrap:anywhere;min-width:14rem;max-width:26rem}\n"
    ".mark .flagged{color:var(--warn);font-weight:600}\n"
    "details{margin:0 0 .6rem}\n"
    "summary{cursor:pointer;font-weight:600;padding:.35rem 0}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',monospace;font-size:.87rem}\n"
    "pre{background:var(--shade);border:1px solid var(--line);border-radius:.35rem;padding:.85rem 1rem;"
    "overflow-x:auto;line-height:1.45;tab-size:2;margin:0 0 1.2rem}\n"
    "pre code{font-size:inherit}\n"
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem 1.4rem;max-width:none}\n"
    "dt{color:var(--muted)}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "@media (max-width:44rem){h1{font-size:1.5rem}main,header,footer{padding-left:1rem;padding-right:1rem}"
    "header{padding-top:1.6rem}figure .scroll "
    "img{max-width:max(100%,34rem)}dl{display:block}dt{margin-top:.6rem}}\n"
    "@media print{:root{color-scheme:light;--ink:#000;--muted:#444;--paper:#fff;--shade:#f7f7f7;--line:#bbb;"
    "--strong:#000;--warn:#000;--warn-paper:#fff}@page{margin:16mm}body{font-size:9.5pt}nav{display:none}"
    "main,header,footer{max-width:none;padding:0}h2,h3,caption,summary{break-after:avoid}"
    "figure,tr{break-inside:avoid}thead{display:table-header-group}.scroll{overflow:visible}"
    "table{font-size:7.5pt}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8pt}a{color:inherit}}\n";

const char *html_style(void)
{
  return style;
}

char *html_style_policy(void)
{
  guint8 digest[32];
  gsize length = sizeof digest;
  GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)style, sizeof style - 1);
  g_checksum_get_digest(checksum, digest, &length);
  g_checksum_free(checksum);
  g_autofree char *hash = g_base64_encode(digest, length);
  return g_strdup_printf("default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; "
                         "form-action 'none'",
                         hash);
}
