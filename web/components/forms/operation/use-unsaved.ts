import { useState } from 'react';

/** Whether a form holds something that is not saved; read when somebody leaves it. */
export function useUnsaved(): { is: () => boolean; set: (unsaved: boolean) => void } {
  const [made] = useState(() => {
    let unsaved = false;
    return {
      is: () => unsaved,
      set: (next: boolean) => {
        unsaved = next;
      },
    };
  });
  return made;
}
