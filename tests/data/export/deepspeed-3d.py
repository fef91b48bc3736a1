import deepspeed
from deepspeed.pipe import PipelineModule
from deepspeed.runtime.pipe.topology import PipeModelDataParallelTopology


def build_engine(layers, loss_fn, layer_class, training_data=None):
    """layers: the model as a list of modules or LayerSpecs, embedding first, head last.

    layer_class: the class name of a transformer layer: the stages get equal numbers of these.
    engine.train_batch() then runs one step of the 1F1B schedule.
    """
    deepspeed.init_distributed()
    topology = PipeModelDataParallelTopology(num_pp=4, num_mp=8, num_dp=1)
    model = PipelineModule(
        layers=layers,
        topology=topology,
        loss_fn=loss_fn,
        partition_method=f"type:{layer_class}",
    )
    parameters = [p for p in model.parameters() if p.requires_grad]
    engine, _, loader, _ = deepspeed.initialize(
        model=model,
        model_parameters=parameters,
        training_data=training_data,
        config="ds_config.json",
    )
    return engine, loader
