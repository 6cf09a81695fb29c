import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import { file } from '../page-file.ts';

type MenuOf = ComponentType<{ label: string; trigger: ReactElement }>;
interface LateMenu {
  load: () => Promise<MenuOf>;
  Menu: MenuOf;
}

/** A lazily loaded menu: most visits never open it. */
export function menuWhenAsked(load: () => Promise<MenuOf>): LateMenu {
  return { load, Menu: lazy(() => file(load).then((loaded) => ({ default: loaded }))) };
}

const look =
  'flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-hover data-[popup-open]:bg-hover max-lg:h-11';

/** The button of such a menu. Hover or focus starts loading the file. */
export function MenuWhenAsked({
  menu: { load, Menu },
  label,
  children,
}: {
  menu: LateMenu;
  label: string;
  children: ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const near = () => void load().catch(() => undefined);
  if (!asked) {
    return (
      <button
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        onPointerEnter={near}
        onFocus={near}
        onClick={() => setAsked(true)}
        className={look}
      >
        {children}
      </button>
    );
  }
  const trigger = (
    <button type="button" aria-label={label} className={look}>
      {children}
    </button>
  );
  return (
    <Suspense fallback={trigger}>
      <Menu label={label} trigger={trigger} />
    </Suspense>
  );
}
