import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { Spinner } from '../loading.tsx';
import { classes } from '../style.ts';

type Look = 'strong' | 'plain' | 'quiet' | 'danger';

interface Looks {
  /** `strong`: the main action of a page. `danger`: an action that cannot be undone. `quiet`: without a border. */
  look?: Look | undefined;
  small?: boolean | undefined;
  icon?: ReactNode;
}

const looks: Record<Look, string> = {
  strong:
    'border-strong bg-strong text-on-strong not-disabled:hover:bg-strong-hover not-disabled:hover:border-strong-hover',
  plain: 'border-soft-line bg-card text-text shadow-card not-disabled:hover:bg-hover',
  quiet: 'border-transparent bg-transparent text-soft not-disabled:hover:bg-hover not-disabled:hover:text-text',
  danger: 'border-fault-line bg-card text-fault shadow-card not-disabled:hover:bg-fault-ground',
};

function lookOf({ look = 'plain', small = false }: Looks): string {
  return classes(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-75 disabled:opacity-50 aria-disabled:opacity-50',
    small ? 'h-7 px-2.5 text-sm' : 'h-8.5 px-3 text-base max-sm:h-10',
    looks[look],
  );
}

interface ButtonProps extends Looks, Omit<ComponentProps<'button'>, 'className'> {
  /** The request is in flight: the button says so, does nothing and keeps the focus, which a disabled one would lose. */
  busy?: boolean;
}

export function Button({ look, small, icon, busy = false, disabled, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled}
      {...(busy ? { onClick: undefined, 'aria-disabled': true, 'aria-busy': true } : {})}
      className={lookOf({ look, small })}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ look, small, icon, children, ...rest }: Looks & LinkProps & { children: ReactNode }) {
  return (
    <Link {...rest} className={lookOf({ look, small })}>
      {icon}
      {children}
    </Link>
  );
}

/** The same to another site. */
export function ButtonAnchor({
  look,
  small,
  children,
  ...rest
}: Looks & Omit<ComponentProps<'a'>, 'className'> & { href: string }) {
  return (
    <a {...rest} target="_blank" rel="noreferrer" className={lookOf({ look, small })}>
      {children}
    </a>
  );
}

/** A button with an icon only: `label` is its accessible name. */
export function IconButton({
  label,
  children,
  ...rest
}: Omit<ComponentProps<'button'>, 'className' | 'aria-label'> & { label: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft transition-colors duration-75 hover:bg-hover hover:text-text disabled:opacity-50 max-sm:size-10"
    >
      {children}
    </button>
  );
}
