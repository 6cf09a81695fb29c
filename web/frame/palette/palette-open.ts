import { watched } from '../../components/watched.ts';

const open = watched(false);

export const openPalette = () => open.set(true);
export const closePalette = () => open.set(false);
export const isPaletteOpen = open.now;
export const usePaletteOpen = open.use;
