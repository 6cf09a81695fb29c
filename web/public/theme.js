// A choice that is not one of these, or storage that is closed, leaves it to the system.
try {
  const chosen = localStorage.getItem('ballast.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {}
