// Pages are sent with their times in UTC. The reader's zone is that of the browser, or UTC as chosen in the console.
let timeZone;
try {
  if (localStorage.getItem('ballast.times') === 'utc') timeZone = 'UTC';
} catch {
  // Storage is blocked: there is no choice.
}
const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone });
for (const time of document.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
