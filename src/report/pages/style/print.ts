/** Sections whose folds are named on paper, but not printed. */
const named = '#evidence,.hypotheses,#changes,#related,#members,#timeline,#provenance';

/**
 * On paper: black on white, in two columns below the verdict, without controls and without content
 * that would have to be opened.
 */
export const printStyle: string = `
@page{margin:12mm}
@media print{
html{font-size:8.5px;line-height:1.35}
body,.with-contents{display:block;border-top:0;padding:0}
.skip,.links,.contents,.jump,.foot a,button,#feedback:not(:has(ul)),
#provenance table,#provenance details:last-of-type{display:none!important}
main,.foot{max-width:none;padding:0}
main{columns:2;column-gap:8mm}
.top,.verdict,.notice{column-span:all}
.top{padding:0 0 var(--s1)}
.badge.filled{background:none;color:var(--text)}
.verdict{display:block;padding:var(--s2) 0}
.verdict>.strongest{border:0;padding:0;margin-top:var(--s1)}
.first{margin-top:var(--s1);padding-top:var(--s1)}
section{padding:var(--s1) 0 var(--s2)}
section>*{max-width:none}
h2{font-size:1.1rem;margin-bottom:2px}
h2,h3,#next>p{break-after:avoid}
article,li,pre,figure{break-inside:avoid}
.ranked>li:nth-child(n+2) svg{display:none}
pre{font-size:.8rem;line-height:1.25;padding:1px var(--s1);margin-top:1px}
.copyable{display:block!important;margin-top:1px}
.spark{height:1.5rem;margin-top:1px}
#evidence,.ranked>li{display:block}
#evidence>article,#evidence>article:nth-of-type(2){padding:1px 0;border-top:1px solid var(--line)}
:is(${named}) details>:not(summary){display:none}
.items>li+li,.steps>li+li,.ranked>li+li,.hypotheses>li+li{margin-top:2px}
.events>li{padding:0 0 0 var(--s2)}
.events br{display:none}
.events>li::before{width:5px;height:5px;left:-3.5px;top:.35rem;border-width:1px}
summary{padding:0!important;min-height:0;color:inherit}
summary::before{content:none}
details:not(.certainty,:is(${named}) details){display:none}
details.certainty::details-content{content-visibility:visible;block-size:auto}
a{color:inherit;text-decoration:none}
.first p>a::after{content:" (" attr(href) ")"}
.foot{padding:0}
.foot::before{margin-bottom:var(--s1)}
}
`;
