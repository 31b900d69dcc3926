// Lets the style sheet and other scripts tell a page with script from one without.
document.documentElement.dataset['script'] = 'on';
