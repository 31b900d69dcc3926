/** What surrounds the content: header, notices, those of the script, contents and footer. */
export const frameStyle: string = `
body{border-top:4px solid var(--line)}
.tone-critical{border-color:var(--critical)}.tone-warning{border-color:var(--warning-fill)}
.tone-info{border-color:var(--info)}.tone-resolved{border-color:var(--resolved)}
.top{padding:var(--s4) 0 var(--s3)}
.badges{display:flex;flex-wrap:wrap;gap:var(--s2);margin-bottom:var(--s2)}
.place{display:flex;flex-wrap:wrap;overflow:hidden;font-weight:600;margin-top:var(--s1)}
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
.contents{display:none}
.jump{margin:calc(-1*var(--s3)) 0 var(--s4)}
.jump ul{columns:9rem;margin-top:var(--s1)}
.jump a{display:block;padding:9px 0}
main>p:last-child{margin-bottom:var(--s4)}
.foot{padding-bottom:var(--s12);color:var(--quiet)}
.foot::before{content:"";display:block;border-top:1px solid var(--line);margin-bottom:var(--s4)}
.foot a{display:inline-block;padding:9px 0;margin-right:var(--s4)}
@media (min-width:68.75rem){
h1{font-size:var(--largest)}
.with-contents{display:grid;grid-template-columns:10rem minmax(0,60rem);column-gap:var(--s12);
justify-content:center;padding:0 var(--s8)}
.with-contents>:not(.contents){grid-column:2}
.with-contents>main,.with-contents>.foot{width:100%;margin:0;padding-left:0;
padding-right:0}
.jump{display:none}
.contents{display:block;grid-row:1/span 4;position:sticky;top:0;align-self:start;
max-height:100vh;overflow:auto;padding:var(--s6) 0;font-size:var(--small)}
.contents a{display:block;padding:var(--s1) 0;text-decoration:none}
.contents a:hover{text-decoration:underline}
}
`;
