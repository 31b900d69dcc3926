/** Elements that the script adds to pages it keeps up to date. */
export const liveStyle: string = `
.heard-only{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;
clip-path:inset(50%);white-space:nowrap}
.live-line{position:fixed;right:8px;bottom:8px;max-width:calc(100vw - 16px);margin:0;
background:var(--raised);border:1px solid var(--line);border-radius:4px;padding:2px 10px;
font-size:.875rem;color:var(--quiet)}
.live-line:empty{display:none}
.newer{margin:12px auto 0}
@media print{.live-line,.newer{display:none}}
`;
