/** Of the HTML report: light and dark, on paper too. */
export const style = `
:root{color-scheme:light dark;--ink:#1c1f26;--soft:#5b6270;--line:#dfe3ea;--card:#fff;--page:#f5f6f8;--good:#15803d;--bad:#b91c1c;--warn:#b45309}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a2a9b8;--line:#333946;--card:#1b1f28;--page:#12151b;--good:#4ade80;--bad:#f87171;--warn:#fbbf24}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:980px;margin:0 auto;padding:32px 20px 64px}
header{display:flex;align-items:center;justify-content:space-between;gap:16px;flex-wrap:wrap}
h1{font-size:26px;margin:0}h2{font-size:18px;margin:0 0 8px}
p{margin:0 0 12px;color:var(--soft)}
.verdict{margin:0;padding:6px 16px;border-radius:999px;font-weight:600;font-size:17px;color:#fff;background:#15803d}
.verdict.broken{background:#b91c1c}.verdict.not-valid{background:#b45309}
.verdict.small{font-size:13px;padding:2px 10px}
.reasons{margin:16px 0 0;padding:12px 16px 12px 34px;border-radius:8px;background:var(--card);border:1px solid var(--line)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:12px;margin:20px 0}
dt{color:var(--soft);font-size:13px}dd{margin:0;overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px;margin:16px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:600;font-size:13px;color:var(--soft);text-align:left}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);white-space:nowrap}
td:last-child{white-space:normal}
tbody tr:last-child td{border-bottom:0}
figure{margin:20px 0 0}figcaption{font-weight:600;margin-bottom:4px}
.key{font-weight:400;font-size:13px;color:var(--soft);margin-left:14px}
.key i{display:inline-block;width:12px;height:3px;margin-right:5px;vertical-align:middle;border-radius:2px}
svg{width:100%;height:auto;display:block}
svg text{font:12px system-ui,sans-serif;fill:var(--soft)}
svg .grid{stroke:var(--line)}svg .mark{stroke:var(--soft);stroke-dasharray:2 4;opacity:.7}
svg .limit{stroke:var(--warn);stroke-dasharray:6 4}svg .limit-label text{fill:var(--warn)}
@media print{body{background:#fff}section{break-inside:avoid}}
`
