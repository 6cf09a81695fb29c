import { keep } from '../components/browser/kept.ts';
import { watched } from '../components/watched.ts';

export type Theme = 'system' | 'light' | 'dark';

/** As `public/theme.js` has set it. */
const theme = watched(read());
export const useTheme = theme.use;

function read(): Theme {
  if (typeof document === 'undefined') return 'system';
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(chosen: Theme): void {
  const named = chosen === 'system' ? undefined : chosen;
  if (named === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = named;
  keep('ballast.theme', named);
  theme.set(chosen);
}
