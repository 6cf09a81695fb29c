import { Fragment } from 'react';

const hints = [
  { keys: ['j', 'k', '↓', '↑'], what: 'move' },
  { keys: ['a'], what: 'approve' },
  { keys: ['r'], what: 'reject' },
  { keys: ['Enter'], what: 'sends the reason' },
] as const;

/** The keys of this page. Phones have none. */
export function KeyHints() {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-soft text-xs max-lg:hidden">
      {hints.map(({ keys, what }) => (
        <span key={what} className="inline-flex items-center gap-1">
          {keys.map((key, index) => (
            <Fragment key={key}>
              {index > 0 && ' '}
              <Key>{key}</Key>
            </Fragment>
          ))}{' '}
          {what}
        </span>
      ))}
    </p>
  );
}

function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-ground px-1.5 font-sans text-xs">
      {children}
    </kbd>
  );
}
