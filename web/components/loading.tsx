import { classes } from './style.ts';

export function Spinner() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-3.5 animate-spin">
      <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="1.5" />
      <path
        d="M14.25 8A6.25 6.25 0 0 0 8 1.75"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** A placeholder of about the shape of the rows to come. */
export function LoadingRows({ rows = 4 }: { rows?: number }) {
  return (
    <div role="status" className="appear-late">
      <span className="sr-only">Loading…</span>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className="flex h-14 items-center gap-4 border-line border-b px-4 last:border-b-0">
          <Bone className={row % 2 === 0 ? 'w-40' : 'w-32'} />
          <Bone className={classes('max-sm:hidden', row % 2 === 0 ? 'w-24' : 'w-36')} />
          <span className="flex-1" />
          <Bone className="w-16" />
        </div>
      ))}
    </div>
  );
}

function Bone({ className }: { className?: string }) {
  return <span aria-hidden="true" className={classes('breathe block h-2.5 rounded-full bg-hover', className)} />;
}
