import { SearchIcon } from '@primer/octicons-react';
import { useEffect, useRef, useState } from 'react';
import { pauseMillis } from '../../control-plane/late.ts';
import { control } from '../forms/form.tsx';

export function SearchField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  // The address changed by itself: by Back, or by "Clear".
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      latest.current(sent.current);
    }, pauseMillis);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="relative w-72 max-sm:w-full">
      <SearchIcon size={14} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-faint" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        className={`${control} h-8.5 pl-8 max-sm:h-10`}
      />
    </span>
  );
}
