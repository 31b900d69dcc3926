/** The list of alerts, its filter, and the page of an incident. */
export const listStyle = `
#list section,#members{padding:var(--s4) 0}
#list section>*,#members>*{max-width:none}
#list h2,#members>h2{margin:0 0 var(--s1)}
.counts{display:flex;flex-wrap:wrap;gap:var(--s2);padding:0 0 var(--s3)}
.counts a{display:inline-flex;align-items:center;gap:.4em;min-height:var(--touch);
padding:var(--s1) var(--s3);border:1px solid var(--line);border-radius:4px;
text-decoration:none;color:inherit}
.counts a:hover{text-decoration:underline}
.counts a[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.filter{padding:0 0 var(--s3)}
.ask{display:flex;gap:var(--s2)}
.ask input{flex:1;min-width:0}
.ask .plain{margin-left:auto}
.fields{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--s2) var(--s3)}
.fields label{font-size:var(--small);color:var(--quiet)}
.fields input,.fields select{margin-top:2px;font-size:1rem;color:var(--text)}
.actions{padding-top:var(--s1)}
.actions a,.pager a{display:inline-block;padding:9px 0;margin-right:var(--s4)}
.list>.row{border-top:1px solid var(--line);padding:var(--s3) 0;scroll-margin:var(--s6);
display:grid;grid-template:"state when" auto "main main" auto/max-content minmax(0,1fr);
gap:var(--s1) var(--s4)}
.row>div{grid-area:main}
.list>.row:first-child{border-top:0}
.list>.row:focus-within{background:var(--raised);
box-shadow:-12px 0 0 var(--raised),-16px 0 0 var(--accent)}
.row .cell{grid-area:state;font-size:var(--small)}
.row .cell>*{display:block}
.row h3 a{display:inline-block;padding:var(--s1) 0;font-size:1.05rem}
.row .when{grid-area:when;margin:0}
.folded>li{padding:6px 0 6px 1.4em;text-indent:-1.4em;border-top:1px dotted var(--line)}
.folded>li>span{color:var(--quiet);font-size:var(--small)}
.folded a{display:inline-block;padding:var(--s1) 0;text-indent:0}
dialog{color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:4px;
padding:var(--s6);max-width:24rem}
dialog::backdrop{background:rgb(0 0 0/.5)}
dialog button{margin-top:var(--s4)}
kbd{font:.875em var(--mono);border:1px solid var(--line);border-radius:4px;padding:2px 6px}
@media (max-width:30rem){.counts{flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}
.counts a{padding:var(--s1) var(--s2);font-size:.9375rem}}
@media (max-width:40rem){.fields :has(>[type=datetime-local]){grid-column:1/-1}}
html:not([data-script]) [data-keys]{display:none}
@media (max-width:48rem){[data-keys]{display:none}.row{font-size:.9375rem}}
@media (min-width:48rem){.fields{grid-template-columns:repeat(3,minmax(0,1fr))}
.ask input{max-width:34rem}
.list>.row{grid-template:"state main when" auto/7rem minmax(0,1fr) 15rem;gap:0 var(--s6)}
.row h3 a{padding:0}}
@media print{.pager a,dialog{display:none}}
`;
