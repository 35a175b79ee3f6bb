// Makes the page quicker to use; everything is there without it. `timeline` is written before this.
document.documentElement.classList.add("js");

for (const run of document.querySelectorAll(".run")) {
  const { show } = timeline(run, (part) => history.replaceState(null, "", `#${part.id}`));
  show(location.hash.slice(1), true);
  addEventListener("hashchange", () => show(location.hash.slice(1)));
}

// A rule that is linked to is in a closed part.
const unfold = () => {
  const target = document.getElementById(location.hash.slice(1));
  const part = target?.closest("details");
  if (part && !part.open) {
    part.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
unfold();
