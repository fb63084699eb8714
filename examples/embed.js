/** What a page does with a plan that its readers edit: here, it counts its letters. */
const plan = document.querySelector("#editable");
const length = document.querySelector("#length");
plan.addEventListener("change", () => {
  length.textContent = `${plan.value.length} letters now`;
});
