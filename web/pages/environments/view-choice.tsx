import { TableIcon, WorkflowIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';

const views = [
  { label: 'Table', view: undefined, Sign: TableIcon },
  { label: 'Canvas', view: 'canvas', Sign: WorkflowIcon },
] as const;

/** The same services as a table or as a canvas. */
export function ViewChoice({ view: current }: { view: 'canvas' | undefined }) {
  return (
    <nav aria-label="View" className="flex rounded-md border border-soft-line bg-card p-0.5">
      {views.map(({ label, view, Sign }) => (
        <Link
          key={label}
          to="."
          search={(before) => ({ ...before, view, open: undefined }) as never}
          replace
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={view === current ? 'page' : undefined}
          className="flex h-7 items-center gap-1.5 rounded-sm px-2.5 text-sm text-soft hover:text-text aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-text max-sm:h-8.5"
        >
          <Sign size={14} />
          {label}
        </Link>
      ))}
    </nav>
  );
}
