/** Elements that the script adds to pages it keeps up to date. */
export const liveStyle: string = `
.live-line{position:fixed;right:var(--s2);bottom:var(--s2);margin:0;
max-width:calc(100vw - 2*var(--s2));
background:var(--raised);border:1px solid var(--line);border-radius:4px;padding:2px var(--s2);
font-size:var(--small);color:var(--quiet)}
.live-line:empty{display:none}
.newer{margin:var(--s3) auto 0}
@media print{.live-line,.newer{display:none}}
`;
