/** Shows how a page reads a plan that its visitors edit: this one counts its characters. */
const plan = document.querySelector("#editable");
const length = document.querySelector("#length");
plan.addEventListener("change", () => {
  length.textContent = `${plan.value.length} letters now`;
});
