import { useEffect, useRef, useState } from 'react';
import type { LogChoice } from '../../../components/log/choice.ts';

/** The choice of a log's view. The address follows a moment after the last key. */
export function useLogChoice(search: LogChoice, keep: (choice: LogChoice) => void) {
  const [choice, setChoice] = useState(search);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(later.current), []);
  const onChoice = (next: LogChoice) => {
    setChoice(next);
    clearTimeout(later.current);
    if (next.find === choice.find) keep(next);
    else later.current = setTimeout(() => keep(next), 400);
  };
  return { choice, onChoice };
}
