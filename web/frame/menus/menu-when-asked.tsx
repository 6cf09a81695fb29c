import { lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import { file } from '../page-file.ts';

type MenuOf<About> = (props: { label: string; trigger: ReactElement; about: About }) => ReactNode;
interface LateMenu<About> {
  load: () => Promise<MenuOf<About>>;
  Menu: MenuOf<About>;
}

/** A lazily loaded menu: most visits never open it. */
export function menuWhenAsked<About>(load: () => Promise<MenuOf<About>>): LateMenu<About> {
  return { load, Menu: lazy(() => file(load).then((loaded) => ({ default: loaded }))) as unknown as MenuOf<About> };
}

/** The button of such a menu. Hover or focus starts loading the file. */
export function MenuWhenAsked<About>({
  menu: { load, Menu },
  label,
  about,
  look,
  children,
}: {
  menu: LateMenu<About>;
  label: string;
  about: About;
  /** Classes of the button. */
  look: string;
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
      <Menu label={label} trigger={trigger} about={about} />
    </Suspense>
  );
}
