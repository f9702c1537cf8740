/** Chromium's figure for a thing that has moved away from under a pointer. */
const FAR_PX = 10;

/** Calls back when a button inside the node is no longer where it was, whatever moved it. */
export function onMoved(node: HTMLElement, moved: () => void): () => void {
  const tops = () => [...node.querySelectorAll(".option")].map((option) => option.getBoundingClientRect().top);
  let before = tops();
  const look = () => {
    const now = tops();
    const far = now.length === before.length && now.some((top, index) => Math.abs(top - (before[index] ?? top)) >= FAR_PX);
    if (!far && now.length === before.length) return;
    before = now;
    moved();
  };
  const sizes = new ResizeObserver(look);
  node.querySelectorAll(".option").forEach((option) => sizes.observe(option));
  sizes.observe(node);
  const scroller = node.closest("#detail");
  scroller?.addEventListener("scroll", look, { passive: true });
  return () => {
    sizes.disconnect();
    scroller?.removeEventListener("scroll", look);
  };
}
