/** What surrounds the content: header, notices, those of the script, contents and footer. */
export const frameStyle: string = `
body{border-top:4px solid var(--line)}
.tone-critical{border-color:var(--critical)}.tone-warning{border-color:var(--warning-fill)}
.tone-info{border-color:var(--info)}.tone-resolved{border-color:var(--resolved)}
.top{padding:var(--s3) 0 var(--s2)}
.badges{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s2);
margin-bottom:var(--s1)}
.place{display:flex;flex-wrap:wrap;overflow:hidden;font-size:var(--small);margin-bottom:var(--s1)}
.place>:first-child{font-weight:600}
.place>*{position:relative;margin-right:1.1em}
.place>*::before{content:"·";content:"·"/"";color:var(--quiet);position:absolute;left:-.7em}
.notice{border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:4px;
background:var(--raised);padding:var(--s2) var(--s3);margin:0 0 var(--s3);max-width:var(--measure)}
.notice.bad{border-left-color:var(--critical)}
.notice progress{display:block;width:100%;height:6px;margin:var(--s2) 0 var(--s1);
accent-color:var(--accent)}
.live-line{position:fixed;right:var(--s2);bottom:var(--s2);margin:0;
max-width:calc(100vw - 2*var(--s2));
background:var(--raised);border:1px solid var(--line);border-radius:4px;padding:2px var(--s2);
font-size:var(--small);color:var(--quiet)}
.live-line:empty{display:none}
.newer{margin:var(--s3) auto 0}
@media print{.live-line,.newer{display:none}}
.back a{display:inline-block;padding:3px 0}
.back a::before{content:"‹ ";content:"‹ "/""}
.jump{margin:0 0 var(--s2)}
.jump ul{display:flex;flex-wrap:wrap;column-gap:var(--s4)}
.jump a{display:inline-block;padding:6px 0}
main>p:last-child{margin-bottom:var(--s4)}
.foot{padding-bottom:var(--s12);color:var(--quiet)}
.foot::before{content:"";display:block;border-top:1px solid var(--line);margin-bottom:var(--s4)}
.foot a{display:inline-block;padding:9px 0;margin-right:var(--s4)}
@media (min-width:68.75rem){h1{font-size:var(--larger)}.jump{display:none}}
`;
