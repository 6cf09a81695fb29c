import { createElement, Fragment, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

declare const document: { getElementById(id: string): Element | null };

/** As little as a page made with React can be: a heading, something that it asks the server for, and a link that works. */
function Bare() {
  const [shown, setShown] = useState('Home');
  const [names, setNames] = useState<string[]>();
  useEffect(() => {
    void fetch('/names')
      .then((answer) => answer.json())
      .then((answered) => setNames(answered as string[]));
  }, []);
  const onClick = (event: { preventDefault(): void }) => {
    event.preventDefault();
    history.pushState(null, '', '/teams');
    setShown('Teams');
  };
  return createElement(
    Fragment,
    null,
    createElement('a', { href: '/teams', onClick }, 'Teams'),
    createElement('h1', null, shown),
    createElement('p', null, names === undefined ? 'Loading…' : names.join(', ')),
  );
}

declare const history: { pushState(state: null, title: string, address: string): void };

const place = document.getElementById('page');
if (place !== null) createRoot(place).render(createElement(Bare));
