/**
 * Text, links, lists, tables, commands: the basis of every page. The text after a slash in
 * `content` is what screen readers read: nothing. Older browsers use the declaration before it.
 */
export const baseStyle: string = `
*{box-sizing:border-box}
html{font:100%/1.5 var(--sans);background:var(--page);color:var(--text);
-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:var(--s4)}
body{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
main,.foot{max-width:60rem;margin:0 auto;padding:0 var(--s4)}
h1,h2,h3,p,ul,ol,dl,dd,pre,figure{margin:0;padding:0}
h1{font-size:1.3rem;line-height:1.25}
h2{font-size:var(--large);line-height:1.25;margin:0 0 var(--s3)}
h3,h4{font-size:1rem;line-height:1.4;margin:0}
ul,ol{list-style:none}
a{color:var(--accent);text-underline-offset:2px;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:2px}
:target{outline:2px solid var(--accent);outline-offset:6px;border-radius:2px}
main:focus,main:target{outline:none}
code,pre{font:.875em/1.5 var(--mono)}
pre{white-space:pre-wrap;overflow-x:auto;font-size:.875rem;background:var(--raised);
border:1px solid var(--line);border-radius:4px;padding:var(--s2) var(--s3);margin:var(--s2) 0 0}
pre.command{border-left:3px solid var(--accent);-webkit-user-select:all;user-select:all}
section{border-top:1px solid var(--line);padding:var(--s6) 0}
section>*,main>p{max-width:var(--measure)}
.whole,time,.number{white-space:nowrap}
.quiet{color:var(--quiet)}
.small{font-size:var(--small)}
.skip{position:absolute;left:-999rem}
.skip:focus{left:var(--s2);top:var(--s2);z-index:1;background:var(--page);padding:var(--s2)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
.scripted-only{display:none}
[data-script] .scripted-only{display:inline-flex}
.critical{--tone:var(--critical)}.warning{--tone:var(--warning)}.info{--tone:var(--info)}
.resolved{--tone:var(--resolved)}.unknown,.none{--tone:var(--unknown)}
.critical,.warning,.info,.resolved,.unknown,.none{color:var(--tone)}
.badge{display:inline-block;border:1px solid var(--tone);border-radius:4px;
padding:0 var(--s2);font-weight:600;line-height:1.625rem}
.badge.filled{background:var(--tone);color:var(--page)}
.badge.filled.warning{background:var(--warning-fill);border-color:var(--warning-fill);
color:var(--warning-ink)}
button,.button{display:inline-flex;align-items:center;gap:.4em;font:inherit;
font-size:.9375rem;color:var(--accent);background:none;border:1px solid var(--line);
border-radius:4px;padding:var(--s1) var(--s3);min-height:var(--touch);
text-decoration:none;cursor:pointer}
button:hover,.button:hover{border-color:var(--accent)}
summary{position:relative;cursor:pointer;color:var(--accent);list-style:none;
padding:9px 0 9px 1.1em;min-height:var(--touch)}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸";content:"▸"/"";position:absolute;left:0;width:1.1em}
details[open]>summary::before{content:"▾";content:"▾"/""}
.copyable{margin-top:var(--s2)}
.copyable pre{margin:0}
[data-script] .copyable{display:grid;grid-template-columns:minmax(0,1fr) auto}
[data-script] .copyable pre{border-radius:4px 0 0 4px}
[data-script] .copyable button{border-left:0;border-radius:0 4px 4px 0;justify-content:center;
min-width:5rem}
.points li{padding-left:1.1em;position:relative}
.points li::before{content:"•";content:"•"/"";position:absolute;left:0;color:var(--quiet)}
.items p+p,.items ul+p{margin-top:var(--s1)}
.items>li+li{margin-top:var(--s4)}
dl.rows{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);
gap:var(--s1) var(--s4)}
dl.rows dt{color:var(--quiet);max-width:14rem}
dl.rows+p,.items+p,.copyable+.small{margin-top:var(--s2)}
dl.rows+table,figure+table,table+details{margin-top:var(--s3)}
dl.names dt{color:var(--quiet);margin-top:var(--s2)}
dl.names dd,.long{white-space:pre-wrap;overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:var(--s1) var(--s3) var(--s1) 0;
border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{color:var(--quiet);font-weight:400}
.number{text-align:right;padding-right:0}
@media (max-width:30rem){
[data-script] .copyable button{min-width:0;padding:0 var(--s2);font-size:var(--small)}
section{padding:var(--s4) 0}
dl.rows{grid-template-columns:minmax(0,7.25rem) minmax(0,1fr)}
.items>li+li{margin-top:var(--s3)}
dd time,td time{white-space:normal}}
`;
