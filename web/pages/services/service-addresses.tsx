import { CopyMark } from '../../components/copyable.tsx';
import { ButtonAnchor } from '../../components/forms/button.tsx';
import type { ServiceOverview } from '../environments/use-overview.ts';

/** Where the processes of a service are reached from outside; `strong`: as the button that opens the first. */
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
          <Outside url={url} />
        </li>
      ))}
    </ul>
  );
}

/** Each way to a process by its name, to copy: from outside, and from other services of the environment. */
export function EveryAddress({ of: { addresses }, inside }: { of: ServiceOverview; inside: boolean }) {
  const ways = addresses.filter(({ url, internal }) => (inside ? internal : url) !== '');
  if (ways.length === 0) return <span className="text-soft">None</span>;
  return (
    <ul className="-my-0.5 flex min-w-0 flex-col">
      {ways.map(({ process, url, internal }) => (
        <li key={process} className="flex min-w-0 flex-wrap items-center gap-x-3">
          <span className="flex min-w-0 items-center gap-x-1">
            {inside ? <code className="break-all">{internal}</code> : <Outside url={url} />}
            <CopyMark
              text={inside ? internal : url}
              label={inside ? `address of ${process} within the environment` : `address of ${process}`}
            />
          </span>
          {addresses.length > 1 && <span className="text-soft">{process}</span>}
        </li>
      ))}
    </ul>
  );
}

function Outside({ url }: { url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="min-w-0 break-all rounded-sm underline decoration-line underline-offset-3 hover:text-text hover:decoration-current"
    >
      {url.replace(/^https?:\/\//, '')}
    </a>
  );
}
