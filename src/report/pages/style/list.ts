/** The list of alerts, its filter, and the page of an incident. */
export const listStyle = `
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
section.part{display:block;padding:16px 0}
section.part>*{max-width:none}
section.part>h2{margin:0 0 4px}
.counts{display:flex;flex-wrap:wrap;gap:8px;padding:0 0 12px}
.counts a{display:inline-flex;align-items:center;min-height:42px;padding:4px 12px;gap:.4em;
border:1px solid var(--line);border-radius:4px;text-decoration:none;color:inherit}
.counts a:hover{text-decoration:underline}
.counts a[aria-current]{border:2px solid var(--accent);padding:3px 11px}
.filter{padding:0 0 12px}
.fields{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:8px 12px}
.ask{display:flex;gap:8px}
.ask input{flex:1;min-width:0}
.fields label{display:block;font-size:.875rem;color:var(--quiet)}
.fields input,.fields select{display:block;width:100%;margin-top:2px}
.filter input,.filter select{min-height:42px;
padding:4px 8px;font:inherit;font-size:1rem;color:var(--text);background:var(--page);
border:1px solid var(--quiet);border-radius:4px}
.filter button,dialog button{min-height:42px;padding:4px 16px;font:inherit;font-weight:600;
color:var(--page);background:var(--accent);border:1px solid var(--accent);border-radius:4px;
cursor:pointer}
.filter button.plain{color:var(--accent);background:none;border-color:var(--line)}
.actions{padding-top:4px}
.actions a,.pager a{display:inline-block;padding:9px 0;margin-right:20px}
.ask .plain{margin-left:auto}
input:focus-visible,select:focus-visible,button:focus-visible{outline:3px solid var(--accent);
outline-offset:2px}
.list>.row{border-top:1px solid var(--line);padding:12px 0;scroll-margin:24px}
.list>.row:first-child{border-top:0}
.list>.row:focus-within{background:var(--raised);
box-shadow:-12px 0 0 var(--raised),-16px 0 0 var(--accent)}
.row .cell{display:flex;flex-wrap:wrap;gap:0 12px;font-size:.875rem}
.row h3 a{display:inline-block;padding:4px 0;font-size:1.05rem}
.row .when{margin-top:4px}
.row summary{padding:9px 0;min-height:42px}
.folded>li{padding:6px 0 6px 1.4em;text-indent:-1.4em;border-top:1px dotted var(--line)}
.folded>li>span{color:var(--quiet);font-size:var(--small)}
.folded a{display:inline-block;padding:4px 0;text-indent:0}
dialog{color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:4px;
padding:20px;max-width:24rem}
dialog::backdrop{background:rgb(0 0 0/.5)}
dialog button{margin-top:16px}
kbd{font:.875rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;border:1px solid var(--line);
border-radius:4px;padding:2px 6px}
.moments>li{display:grid;grid-template-columns:9.5rem minmax(0,1fr);gap:0 16px;padding:4px 0}
@media (max-width:40rem){.moments>li{grid-template-columns:1fr}}
html:not([data-script]) [data-keys]{display:none}
@media (max-width:48rem){[data-keys]{display:none}}
@media (min-width:48rem){.fields{grid-template-columns:repeat(3,minmax(0,1fr))}
.ask input{max-width:34rem}
.list>.row{display:grid;grid-template-columns:7rem minmax(0,1fr) 15rem;gap:0 20px}
.row .cell{display:block}.row .cell>*{display:block}
.row .when{margin:0}.row h3 a{padding:0}}
@media print{.filter,.pager a,dialog{display:none}}
`;
