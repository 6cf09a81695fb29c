import { useEffect, useState } from 'react';

/** Between the last key and what it asks for: typing does not ask for every letter. */
export const pauseMillis = 150;

/** The text as it was when somebody last paused at typing. */
export function useLate(text: string): string {
  const [late, setLate] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), pauseMillis);
    return () => clearTimeout(timer);
  }, [text]);
  return late;
}
