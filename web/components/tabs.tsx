import { Link, type LinkProps } from '@tanstack/react-router';

/** The parts of one thing, each with an address of its own. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  /** `active` where the address does not tell it by its path alone. */
  tabs: readonly { label: string; link: LinkProps; count?: number; active?: boolean }[];
}) {
  return (
    <nav aria-label={label} className="-mb-px flex gap-5 overflow-x-auto border-line border-b">
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          {...tab.link}
          activeOptions={{ exact: true, includeSearch: tab.active !== undefined }}
          aria-current={tab.active === true ? 'page' : undefined}
          className="whitespace-nowrap border-transparent border-b-2 pb-2 text-base text-soft hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text"
        >
          {tab.label}
          {tab.count !== undefined && <span className="ml-1.5 text-faint text-sm tabular-nums">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
