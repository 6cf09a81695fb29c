// Hides what does not contain the words of the filter.
const filter = document.getElementById('filter');

filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const article of document.querySelectorAll('article')) {
    const text = `${article.id} ${article.querySelector('h3').textContent} ${article.querySelector('.path').textContent}`;
    const shown = words.every((word) => text.toLowerCase().includes(word));
    article.hidden = !shown;
    document.querySelector(
      `nav a[href="#${CSS.escape(article.id)}"], nav a[href="#${article.id}"]`,
    ).parentElement.hidden = !shown;
  }
});
