import { ButtonAnchor } from '../../components/forms/button.tsx';
import type { ServiceOverview } from '../environments/use-overview.ts';

/** Where the processes of a service are reached; `strong`: as the button that opens the first. */
export function ServiceAddresses({ of: { addresses }, strong = false }: { of: ServiceOverview; strong?: boolean }) {
  const open = addresses.filter(({ url }) => url !== '');
  const [first] = open;
  if (strong) {
    if (first === undefined) return null;
    return (
      <ButtonAnchor look="strong" href={first.url}>
        Open
      </ButtonAnchor>
    );
  }
  if (first === undefined) return <span className="text-soft">None</span>;
  return (
    <ul className="min-w-0">
      {open.map(({ process, url }) => (
        <li key={process} className="truncate">
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            className="rounded-sm underline decoration-line underline-offset-3 hover:text-text hover:decoration-current"
          >
            {url.replace(/^https?:\/\//, '')}
          </a>
        </li>
      ))}
    </ul>
  );
}
