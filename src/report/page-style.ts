import { liveStyle } from './style/live.ts';
import { chartStyle } from './charts/chart-style.ts';
import { feedbackStyle } from './style/feedback.ts';
import { listStyle } from './pages/list-style.ts';

/**
 * The one style sheet, inlined into every page. Its hash is in the security policy, so nothing is
 * ever put into it at run time. Colours keep WCAG AA contrast in both themes; a state is never
 * told by colour alone.
 */

export const pageStyle: string = `
:root{color-scheme:light dark;--page:#fcfcfa;--raised:#f3f3ef;--text:#1b1c1e;--quiet:#5a5c60;
--line:#d6d6d0;--accent:#0b559f;--critical:#b01e17;--warning:#7d5200;--info:#0b559f;
--resolved:#1a6a35;--unknown:#5a5c60}
@media (prefers-color-scheme:dark){:root{--page:#131518;--raised:#1c1f24;--text:#e8e8e5;
--quiet:#a6a9af;--line:#363a41;--accent:#8bbcf5;--critical:#ff8d83;--warning:#f0b94f;
--info:#8bbcf5;--resolved:#80d29a;--unknown:#a6a9af}}
*{box-sizing:border-box}
html{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
background:var(--page);color:var(--text);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
main,.foot{max-width:60rem;margin:0 auto;padding:0 16px}
h1,h2,h3,p,ul,ol,dl,dd,pre,figure{margin:0;padding:0}
h1{font-size:1.44rem;line-height:1.2;margin:8px 0 4px}
h2{font-size:1.2rem;line-height:1.25;margin:0 0 12px}
h3{font-size:1rem;line-height:1.4}
ul,ol{list-style:none}
a{color:var(--accent);text-underline-offset:2px}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);
outline-offset:2px;border-radius:2px}
:target{outline:2px solid var(--accent);outline-offset:8px;scroll-margin-top:16px}
code,pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{white-space:pre-wrap;background:var(--raised);border:1px solid var(--line);border-radius:4px;
padding:8px 12px;margin:8px 0 0}
pre.command{user-select:all;-webkit-user-select:all;border-left:3px solid var(--accent)}
section{border-top:1px solid var(--line);padding:24px 0}
section>*{max-width:40rem}
.skip{position:absolute;left:-999rem}
.skip:focus{left:8px;top:8px;background:var(--page);padding:8px}
.quiet{color:var(--quiet)}
.small{font-size:.875rem}
.top{padding:16px 0 14px}
.badges{display:flex;flex-wrap:wrap;gap:4px 20px;font-weight:600}
.critical{color:var(--critical)}.warning{color:var(--warning)}.info{color:var(--info)}
.resolved{color:var(--resolved)}.unknown,.none{color:var(--unknown)}
.place{font-weight:600}
.place>*{display:inline-block}
.place>*+*::before{content:"·";color:var(--quiet);font-weight:400;padding:0 .4em}
.verdict{padding:16px 0}
.headline{font-size:1.2rem;line-height:1.35;font-weight:600;margin:2px 0 8px}
.verdict>p+p,.verdict ul{margin-top:8px}
.reasons{font-size:.9375rem}
.reasons li{padding-left:1.4em;text-indent:-1.4em;margin-top:2px}
.mark{display:inline-block;width:1.4em;text-indent:0;font-weight:700}
.first{margin-top:12px}
.links{display:flex;flex-wrap:wrap;gap:0 20px;padding:4px 0 12px}
.links a,summary{display:inline-block;padding:9px 0;min-height:42px}
.notice{border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:4px;
background:var(--raised);padding:8px 12px;margin:0 0 12px;max-width:40rem}
.notice.bad{border-left-color:var(--critical)}
.notice progress{display:block;width:100%;height:6px;margin:8px 0 4px;accent-color:var(--accent)}
summary{cursor:pointer;color:var(--accent);list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸ "}details[open]>summary::before{content:"▾ "}
.points li{padding-left:1.1em;position:relative}
.points li::before{content:"•";position:absolute;left:0;color:var(--quiet)}
.items h3+p,.items p+p,.items ul+p{margin-top:4px}
dl.rows+table,table+details{margin-top:12px}
.items>li+li{margin-top:14px}
.steps{counter-reset:step}
.steps>li,.ranked>li{padding-left:2rem;position:relative}
.steps>li+li,.ranked>li+li{margin-top:16px}
.steps>li::before{counter-increment:step;content:counter(step) ".";position:absolute;left:0;
font-weight:700;color:var(--quiet)}
.rank{position:absolute;left:0;font-weight:700;color:var(--quiet)}
dl.rows{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:4px 16px}
dl.rows dt{color:var(--quiet);max-width:14rem}
dl.names{display:block}
dl.names dt{color:var(--quiet);margin-top:8px}
dl.names dd,.long{white-space:pre-wrap}
.events li{display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:0 16px;padding:4px 0}
th,td{overflow-wrap:break-word}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:400}
.number{text-align:right;padding-right:0}
.cites{white-space:nowrap;font-size:.875rem}
.cites a{padding:4px 2px}
.evidence>article{padding:12px 0;border-top:1px dotted var(--line)}
.evidence>article:first-of-type{border-top:0;padding-top:0}
.id{color:var(--quiet);margin-right:.5em}
.written{border-left:3px double var(--line);padding-left:14px}
.alerts>li{border-top:1px dotted var(--line);padding:12px 0}
.alerts>li:first-child{border-top:0;padding-top:0}
.alerts a{font-weight:600;font-size:1.05rem;display:inline-block;padding:2px 0}
.foot{padding-top:16px;padding-bottom:48px;color:var(--quiet);border-top:1px solid var(--line)}
.foot a{display:inline-block;padding:9px 0;margin-right:20px}
@media (max-width:30rem){dl.rows{grid-template-columns:minmax(0,9rem) minmax(0,1fr)}
.events li{grid-template-columns:1fr}}
@media (min-width:62rem){h1{font-size:1.728rem}
section{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:0 32px}
section>h2{grid-row:1/span 99;font-size:1rem;margin:0}section>*{grid-column:2}
section>h2{grid-column:1}.verdict{display:block}}
${liveStyle.trim()}
@media print{:root{--page:#fff;--raised:#fff;--text:#000;--quiet:#333;--line:#999;--accent:#000;
--critical:#000;--warning:#000;--info:#000;--resolved:#000;--unknown:#333}
html{font-size:11px}.skip,.links,.foot a{display:none}section{padding:12px 0}
article,li,pre{break-inside:avoid}h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;block-size:auto}
a[href^="http"]::after{content:" (" attr(href) ")";font-size:.8em}}
${listStyle}
${chartStyle}
${feedbackStyle}`;
