import { useState } from 'react';

/**
 * State of a dialog about one item of a list. The item stays set during the closing animation, so that the text does
 * not change.
 */
export function useDialog<About>(): {
  about: About | undefined;
  open: boolean;
  /** Another one each time it is shown, so that it starts afresh. */
  key: string | undefined;
  show: (about: About) => void;
  close: () => void;
} {
  const [shown, setShown] = useState<{ about: About; open: boolean; key: string }>();
  return {
    about: shown?.about,
    open: shown?.open ?? false,
    key: shown?.key,
    show: (about) => setShown({ about, open: true, key: crypto.randomUUID() }),
    close: () => setShown((before) => (before === undefined ? before : { ...before, open: false })),
  };
}
