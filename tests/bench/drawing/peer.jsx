// React Flow as an application would use it: background, controls, minimap; nodes and edges in state, so that they can be dragged.
import { Background, Controls, MiniMap, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import { createElement, useEffect } from "react";
import { createRoot } from "react-dom/client";

function Diagram({ graph, ready }) {
  const [nodes, , onNodesChange] = useNodesState(graph.nodes);
  const [edges, , onEdgesChange] = useEdgesState(graph.edges);
  useEffect(() => {
    requestAnimationFrame(() => requestAnimationFrame(ready));
  }, [ready]);
  const parts = [createElement(Background, { key: "b" }), createElement(Controls, { key: "c" }), createElement(MiniMap, { key: "m" })];
  return createElement(ReactFlow, { nodes, edges, onNodesChange, onEdgesChange, minZoom: 0.01, fitView: true, onInit: (flow) => { globalThis.flow = flow; } }, parts);
}

/** Shows a graph; says when it is there. */
globalThis.show = (graph) =>
  new Promise((resolve) => {
    const begun = performance.now();
    createRoot(document.querySelector("#root")).render(createElement(Diagram, { graph, ready: () => resolve(performance.now() - begun) }));
  });
